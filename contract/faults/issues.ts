import type * as z from 'zod';
import type { Language } from '../languages.ts';
import { type FaultCode, isFault, sentence } from './codes.ts';

type Issue = z.core.$ZodRawIssue;

const isMissing = (input: unknown): boolean => input === undefined || input === null || input === '';
const beyond = (issue: Issue & { code: 'too_small' | 'too_big' }): [FaultCode, number | bigint] => {
  const [small, limit] = issue.code === 'too_small' ? [true, issue.minimum] : [false, issue.maximum];
  switch (issue.origin) {
    case 'string':
      return [small ? (limit === 1 ? 'field.required' : 'field.short') : 'field.long', limit];
    case 'array':
    case 'set':
      return [small ? (limit === 1 ? 'selection.none' : 'field.few') : 'field.many', limit];
    default:
      if (small) return [issue.inclusive === false ? 'field.above' : 'field.least', limit];
      return ['field.most', limit];
  }
};

/** The sentence for a field whose schema has no fault of its own. */
const issueSentence = (issue: Issue, language: Language): string => {
  const say = (code: FaultCode, limit?: number | bigint) =>
    sentence(code, language, limit === undefined ? {} : { limit: String(limit) });
  switch (issue.code) {
    case 'too_small':
    case 'too_big':
      return say(...beyond(issue));
    case 'unrecognized_keys':
      return say('field.unknown');
    case 'invalid_value':
      return say(isMissing(issue.input) ? 'field.required' : 'field.choice');
    case 'invalid_format':
      return say(
        issue.input === ''
          ? 'field.required'
          : /^(date|datetime)$/.test(issue.format)
            ? 'date.invalid'
            : 'field.form',
      );
    case 'invalid_type':
      if (isMissing(issue.input)) return say('field.required');
      return say(issue.expected === 'number' || issue.expected === 'int' ? 'field.number' : 'field.form');
    case 'invalid_union': {
      if (isMissing(issue.input)) return say('field.required');
      // A number that forms send as text, or one of some values.
      const codes = issue.errors.map(([first]) => first);
      if (codes.every((each) => each?.code === 'invalid_value')) return say('field.choice');
      const isNumber = codes.some(
        (each) =>
          each?.code === 'invalid_type' &&
          each.path.length === 0 &&
          (each.expected === 'number' || each.expected === 'int'),
      );
      return say(isNumber ? 'field.number' : 'field.form');
    }
    default:
      return say(isMissing(issue.input) ? 'field.required' : 'field.form');
  }
};

/**
 * The sentence for a field error in the reader's language: the schema's own fault, else one for the kind of
 * error.
 */
export const issueMessages =
  (language: Language): z.core.$ZodErrorMap =>
  (issue) =>
    issueSentence(issue, language);
export const messageOf = (issue: { message: string }, language: Language): string =>
  isFault(issue.message) ? sentence(issue.message, language) : issue.message;
