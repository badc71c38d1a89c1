import type { CoreDeps } from '#server/core/core-deps.ts';
import '@fastify/cookie';
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { outcomeSentences } from '#contract/answer-words.ts';
import {
  type BodyOf,
  type CallOutcome,
  type Endpoint,
  type ReplyOf,
  reversedRange,
} from '#contract/endpoint.ts';
import { type FaultCode, faults, sentence } from '#contract/faults/codes.ts';
import { issueMessages, messageOf } from '#contract/faults/issues.ts';
import { type Language, languageCookie, languageFrom } from '#contract/languages.ts';
import { phoneFlaw, withPhoneFormat } from '#contract/people.ts';
import type { Db } from '#database/connect.ts';
import { addressOf } from './address.ts';
import type { Events } from './bus.ts';
import { Fault } from './fault.ts';
import { readTexts } from './form.ts';
import { readSettings } from './installation-settings.ts';
import { isDatabaseAway } from './log.ts';
import { loggedBody } from './logged.ts';
import { appendOperation, appendOperations } from './operation-log.ts';
import { repeated } from './repeated.ts';
import { covers, mustBeAdmitted, seesProject } from './scope.ts';
import { type Caller, callerOf } from './session.ts';
import type { Strangers } from './strangers.ts';
import { readForm } from './upload.ts';
import { whileAdmitted } from './while-admitted.ts';

export const sessionCookie = 'PHPSESSID';

/** Argument of a handler. `db` is a transaction if the endpoint writes (has a `log` key). */
export interface Call<Body> {
  readonly body: Body;
  readonly caller: Caller;
  readonly db: Db;
  readonly now: number;
  readonly language: Language;
  readonly address: string;
  readonly channel: 'web' | 'api';
  readonly requestId: string;
  /** Published after the commit, never if the call fails. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void;
  /** Runs after the commit: for effects that require the rows to exist. */
  afterCommit(run: () => void): void;
  /**
   * Adds to this call's row in the operation log. With `projects` there is a row for each of them, with its own
   * parameters: the log of every project shows what concerns it, and nothing of the others.
   */
  note(about: {
    projectId?: number | null;
    projects?: readonly { projectId: number | null; [parameter: string]: unknown }[];
    deviceId?: number | null;
    operator?: string;
    userId?: number;
    [parameter: string]: unknown;
  }): void;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}
type PublicCall<Body> = Omit<Call<Body>, 'caller'> & { readonly caller: Caller | null };

type OpenCall = Omit<Call<unknown>, 'caller'> & { readonly caller: Caller | null };

/** Binds an endpoint of the contract to its handler. */
export type Serve = <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>(
  endpoint: E & Endpoint<Body, Reply>,
  handler: (
    call: E extends { permission: 'public' } ? PublicCall<BodyOf<E>> : Call<BodyOf<E>>,
  ) => Promise<ReplyOf<E>> | ReplyOf<E>,
) => void;

interface ServeDeps extends CoreDeps {
  strangers: Strangers;
}

const wrongPhone: string = phoneFlaw();
/** Maximum body of a call without a session. */
const publicBodyBytes = 8 * 1024;

/** The browser reports that a page of another site made this request. */
const isForeign = (site: string | string[] | undefined): boolean =>
  site !== undefined && site !== 'same-origin' && site !== 'none';
const isMultipart = ({ headers }: FastifyRequest): boolean =>
  /^\s*multipart\//i.test(headers['content-type'] ?? '');
const signsInByGet = ({ method, permission, log }: Endpoint): boolean =>
  method === 'GET' && permission === 'public' && log !== undefined;

const tokenOf = (request: FastifyRequest): { token: string; fromCookie: boolean } | null => {
  const header = request.headers.authorization ?? request.headers['usertoken'];
  const text = Array.isArray(header) ? header[0] : header;
  if (text) return { token: text.replace(/^Bearer\s+/i, ''), fromCookie: false };
  const cookie = request.cookies[sessionCookie];
  return cookie ? { token: cookie, fromCookie: true } : null;
};

const serialOf = (request: FastifyRequest): string | null => {
  const given = request.headers['accept-serial'];
  return typeof given === 'string' && z.uuid().safeParse(given).success ? given.toLowerCase() : null;
};

/** The caller's serial if it is valid, else a new id; the answer contains it. */
export const requestIdOf = (request: FastifyRequest): string => serialOf(request) ?? randomUUID();

const envelope = (code: number, msg: string, data: unknown) => ({ code, msg, data });
/** Removes the data of an answer with a secret, which is never a stream. */
const withoutData = ({ code, msg }: ReturnType<typeof envelope>) => envelope(code, msg, null);
const success = (outcome: CallOutcome, language: Language, data: unknown) =>
  envelope(outcome === 'nothing' ? 0 : 200, outcomeSentences[outcome][language], data);

const fieldErrors = (error: z.ZodError, language: Language) => {
  const fields: Record<string, string> = {};
  for (const issue of error.issues) {
    const within = issue.path.join('.');
    const names =
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => (within === '' ? key : `${within}.${key}`))
        : [within];
    for (const name of names) fields[name] ??= messageOf(issue, language);
  }
  return fields;
};

/**
 * Validates a body. A length check reads `length` of the value and compares it, which throws for an object
 * that cannot be converted: such a body is invalid like any other.
 */
const parse = (schema: z.ZodType, body: unknown, language: Language) => {
  try {
    return schema.safeParse(body, { error: issueMessages(language) });
  } catch (error) {
    if (error instanceof TypeError) throw new Fault('request.invalid');
    throw error;
  }
};

/** The answer for a fault, in the caller's language. */
export const faultAnswer = (thrown: Fault, language: Language) => {
  const entry: { http: number; code: number } = faults[thrown.code];
  const fields = thrown.details.fields;
  const told = thrown.details.data ?? null;
  const data = fields
    ? {
        ...(typeof told === 'object' && told),
        ...Object.fromEntries(
          Object.entries(fields).map(([name, code]: [string, FaultCode]) => [
            name,
            sentence(code, language, thrown.details.with),
          ]),
        ),
      }
    : told;
  return {
    status: entry.http,
    answer: envelope(entry.code, sentence(thrown.code, language, thrown.details.with), data),
  };
};

/** Rejects U+0000 in a text, and input that is nested too deeply. */
export const isUnusable = (error: unknown): boolean =>
  (error instanceof RangeError && error.message.includes('call stack')) ||
  (error instanceof Error && 'code' in error && ['22021', '22P05'].includes(String(error.code)));

/**
 * Texts and names in a body that no table can store, because they contain U+0000 or half of a surrogate pair.
 */
const unstorable = (body: unknown): string[] => {
  const found: string[] = [];
  const waiting: { path: string; value: unknown }[] = [{ path: '', value: body }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, value } = next;
    if (typeof value === 'string') {
      if (!isStorable(value)) found.push(path);
    } else if (value !== null && typeof value === 'object' && !(value instanceof Uint8Array))
      for (const [name, inner] of Object.entries(value)) {
        const within = path === '' ? name : `${path}.${name}`;
        if (isStorable(name)) waiting.push({ path: within, value: inner });
        else found.push(path === '' ? printable(name) : path);
      }
  }
  return found;
};
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const printable = (name: string): string => name.toWellFormed().replaceAll('\0', '\u{fffd}');

const sendRefusal = (reply: FastifyReply, thrown: Fault, status: number, answer: unknown) => {
  if (status === 429) reply.header('retry-after', String(thrown.details.with?.['seconds'] ?? 60));
  return reply.status(status).send(answer);
};

/**
 * Removes the project from the notes of a refused call if the caller does not see it. Else the users of that
 * project would see the row in their log, and the caller would see the project's name in their own.
 */
const notesInSight = (notes: Record<string, unknown>, caller: Caller | null): Record<string, unknown> => {
  const { projectId, deviceId: _, ...rest } = notes;
  return typeof projectId === 'number' && caller && !seesProject(caller.scope, projectId) ? rest : notes;
};

/** The notes for each row of the operation log: one, or one for each project. */
const eachProject = ({ projects, ...notes }: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(projects) && projects.length > 0
    ? projects.map((own: Record<string, unknown>) => ({ ...notes, ...own }))
    : [notes];

const noFault = (error: unknown): null => {
  if (error instanceof Fault) return null;
  throw error;
};

class Replayed extends Error {
  readonly status: number;
  readonly answer: unknown;
  constructor(status: number, answer: unknown) {
    super('replayed');
    this.status = status;
    this.answer = answer;
  }
}

/**
 * Session, permission, validation, transaction, idempotency, envelope and operation log of every call, from
 * the endpoint's description alone. The data scope is in `caller.scope`; stores apply it.
 */
export const createServe = (app: FastifyInstance, { db, bus, clock, log, strangers }: ServeDeps): Serve => {
  /** Callers of accepted requests, until their body is read. */
  const callers = new WeakMap<FastifyRequest, Caller>();

  /**
   * A body with an invalid phone number is validated again if the installation accepts numbers of any
   * country.
   */
  const checked = async (schema: z.ZodType, body: unknown, language: Language) => {
    const parsed = parse(schema, body, language);
    if (!parsed.error?.issues.some(({ message }) => message === wrongPhone)) return parsed;
    const { phoneFormat } = await readSettings(db, 'session');
    return withPhoneFormat(phoneFormat, () => {
      const again = parse(schema, body, language);
      // Zod builds the sentences of its issues when they are first read.
      void again.error?.issues;
      return again;
    });
  };

  /** Decides from the headers of a request, before its body is read. Throws the fault that refuses it. */
  const letIn = async (request: FastifyRequest, endpoint: Endpoint): Promise<void> => {
    const now = clock.now();
    const site = request.headers['sec-fetch-site'];
    // A form of another site must not act here, and its link or image must not sign its visitor in as another
    // user.
    if ((endpoint.method === 'POST' || signsInByGet(endpoint)) && isForeign(site))
      throw new Fault('permission.denied');
    if (endpoint.permission === 'public') {
      strangers.admit(addressOf(request), now);
      const token = endpoint.session === 'optional' ? tokenOf(request) : null;
      // An ended session does not count: the call is public.
      const caller =
        token && (await strangers.callerOf(db, token.token, addressOf(request), now).catch(noFault));
      if (caller) callers.set(request, caller);
    } else {
      const token = tokenOf(request);
      if (!token) throw new Fault('session.expired');
      const caller = await strangers.callerOf(db, token.token, addressOf(request), now);
      callers.set(request, caller);
      mustBeAdmitted(caller, endpoint);
    }
    if (!endpoint.upload && isMultipart(request)) throw new Fault('request.mediaType');
  };

  /** Throws a Fault if a caller lost the session, the permission or a part of the scope since the call. */
  const stillAdmitted = async (request: FastifyRequest, endpoint: Endpoint, { scope }: Caller) => {
    const caller = await callerOf(db, tokenOf(request)?.token ?? '', clock.now());
    mustBeAdmitted(caller, endpoint);
    if (!covers(caller.scope, scope)) throw new Fault('permission.denied');
  };

  const refuse = async (
    thrown: Fault,
    endpoint: Endpoint,
    call: OpenCall,
    notes: Record<string, unknown>,
    serial: string | null,
    bodyHash: Buffer,
    /** True if the body was valid; invalid bodies are not stored. */
    accepted: boolean,
  ) => {
    const { status, answer } = faultAnswer(thrown, call.language);
    if (call.caller === null) {
      strangers.count(status === 401 ? 'session' : 'call');
      return { status, answer };
    }
    const worthALine = endpoint.log !== undefined && [401, 403, 404, 409].includes(status);
    const remembered = serial !== null && status !== 401 && status !== 429;
    if (!worthALine && !remembered) return { status, answer };
    const write = async (trx: Db) => {
      if (remembered)
        await trx
          .insertInto('serials')
          .values({
            user_id: call.caller!.userId,
            serial,
            path: endpoint.path,
            body_hash: bodyHash,
            status,
            answer: JSON.stringify(answer),
            created_at: new Date(call.now),
          })
          // A refused call that keeps rows has already stored its serial, with status 0 and no answer.
          .onConflict((conflict) =>
            conflict
              .columns(['user_id', 'serial'])
              .doUpdateSet({ status, answer: JSON.stringify(answer) })
              .where('serials.status', '=', 0),
          )
          .execute();
      if (worthALine)
        await appendOperations(
          trx,
          eachProject(notes).map((row) =>
            operationOf(endpoint, call, notesInSight(row, call.caller), 'refused', status, {
              ...(accepted ? loggedBody(call.body, endpoint.secret) : {}),
              fault: thrown.code,
            }),
          ),
        );
    };
    await repeated(() => db.transaction().execute(write));
    return { status, answer };
  };

  const operationOf = (
    endpoint: Endpoint,
    call: OpenCall,
    notes: Record<string, unknown>,
    outcome: 'done' | 'refused',
    code: number,
    parameters: Record<string, unknown>,
  ) => {
    const { projectId, deviceId, operator, userId, ...rest } = notes;
    return {
      at: new Date(call.now),
      userId: call.caller?.userId ?? (typeof userId === 'number' ? userId : null),
      operator: call.caller?.username ?? (typeof operator === 'string' ? operator : ''),
      key: endpoint.log ?? endpoint.path,
      channel: call.channel,
      address: call.address,
      requestId: call.requestId,
      outcome,
      code,
      projectId: typeof projectId === 'number' ? projectId : null,
      deviceId: typeof deviceId === 'number' ? deviceId : null,
      parameters: { ...parameters, ...rest },
    };
  };

  /** What is known of a call before its body is read. */
  const headOf = (
    request: FastifyRequest,
    reply: FastifyReply,
    now: number,
  ): Omit<OpenCall, 'body' | 'emit' | 'afterCommit' | 'note'> => {
    const requestId = String(reply.getHeader('x-request-id'));
    return {
      caller: callers.get(request) ?? null,
      db,
      now,
      language: languageFrom(request.cookies[languageCookie], request.headers['accept-language']),
      address: addressOf(request),
      requestId,
      request,
      reply,
      channel: tokenOf(request)?.fromCookie === false ? 'api' : 'web',
    };
  };

  const sendFailure = (
    error: unknown,
    endpoint: Endpoint,
    { language, requestId, reply }: Pick<OpenCall, 'language' | 'requestId' | 'reply'>,
  ) => {
    const away = isDatabaseAway(error);
    log[away ? 'warn' : 'error']({ err: error, requestId, path: endpoint.path }, 'call failed');
    const { status, answer } = faultAnswer(
      new Fault(away ? 'server.busy' : 'server.failed', { data: { request_id: requestId } }),
      language,
    );
    return reply.status(status).send(answer);
  };

  /** Answers a refused request. Its body is not read. */
  const answerRefused = async (
    error: unknown,
    endpoint: Endpoint,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    const head = headOf(request, reply, clock.now());
    if (!(error instanceof Fault)) return sendFailure(error, endpoint, head);
    const call = { ...head, body: {}, emit() {}, afterCommit() {}, note() {} };
    const { status, answer } = await refuse(error, endpoint, call, {}, null, Buffer.alloc(0), false);
    return sendRefusal(reply, error, status, answer);
  };

  return (endpoint, handler) => {
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      // A HEAD would run the handler: sign in, or open a stream that nobody reads.
      exposeHeadRoute: false,
      config: { contract: endpoint },
      ...(endpoint.permission === 'public' ? { bodyLimit: publicBodyBytes } : {}),
      // Session, permission and limits are checked before the body is read.
      onRequest: async (request, reply) => {
        try {
          await letIn(request, endpoint);
        } catch (error) {
          return answerRefused(error, endpoint, request, reply);
        }
      },
      handler: async (request, reply) => {
        const now = clock.now();
        let given: unknown = endpoint.method === 'GET' ? request.query : (request.body ?? {});
        let writes = endpoint.log !== undefined && (endpoint.writesWhen?.(given) ?? true);
        let accepted = false;
        const serial = serialOf(request);
        /**
         * Whether a repeated call gets the stored answer: only writes do, because a stream can be requested
         * again.
         */
        const repeats = () => writes && endpoint.stream !== true;
        const events: (() => void)[] = [];
        const notes: Record<string, unknown> = {};
        const hashOf = (body: unknown) =>
          createHash('sha256')
            .update(JSON.stringify(body) ?? '')
            .digest();
        let bodyHash = hashOf(given);
        let call: OpenCall = {
          ...headOf(request, reply, now),
          body: given,
          emit: (name, event) => events.push(() => bus.emit(name, event)),
          afterCommit: (run) => events.push(run),
          note: (about) => Object.assign(notes, about),
        };
        const { language } = call;
        const fail = async (thrown: Fault) => {
          const { status, answer } = await refuse(
            thrown,
            endpoint,
            call,
            notes,
            repeats() ? serial : null,
            bodyHash,
            accepted,
          );
          return sendRefusal(reply, thrown, status, answer);
        };
        try {
          if (call.caller && repeats() && tokenOf(request)?.fromCookie && serial === null)
            throw new Fault('request.serialMissing');
          // A file is accepted only from users who may send it.
          if (endpoint.upload) {
            given = await readForm(request, endpoint.uploadBytes);
            writes = endpoint.log !== undefined && (endpoint.writesWhen?.(given) ?? true);
            bodyHash = hashOf(given);
            call = { ...call, body: given };
          }
          const read = readTexts(endpoint.body, given, request.headers['content-type']);
          const bad = unstorable(read);
          if (bad.length > 0)
            throw new Fault('request.invalid', {
              fields: Object.fromEntries(bad.map((path) => [path, 'field.characters'])),
            });
          const parsed = await checked(endpoint.body, read, language);
          if (!parsed.success) {
            const { status, answer } = faultAnswer(new Fault('request.invalid'), language);
            return reply.status(status).send({ ...answer, data: fieldErrors(parsed.error, language) });
          }
          const reversed = reversedRange(parsed.data);
          if (reversed !== null)
            throw new Fault('request.invalid', { fields: { [reversed]: 'range.order' } });
          accepted = true;
          const handle = async (inner: Db) => {
            const result = await handler({ ...call, body: parsed.data, db: inner } as never);
            if (endpoint.stream)
              return result instanceof Readable && call.caller
                ? whileAdmitted(result, clock, () => stillAdmitted(request, endpoint, call.caller!))
                : result;
            const data = endpoint.reply.parse(result);
            return success((writes && endpoint.outcome?.(data)) || 'done', language, data);
          };
          const inLane = <Result>(job: () => Promise<Result>) =>
            call.caller ? job() : strangers.inLane(writes ? 'writes' : 'reads', job);
          if (!writes) {
            const answer = await inLane(() => handle(db));
            return endpoint.stream ? answer : reply.send(answer);
          }
          // The log row is written before the first byte is sent; a stream reads lazily, outside a
          // transaction.
          const loggedStream = async () => {
            const stream = await inLane(() => handle(db));
            const { secret } = endpoint;
            const row = operationOf(endpoint, call, notes, 'done', 200, loggedBody(parsed.data, secret));
            await db.transaction().execute((trx) => appendOperation(trx, row));
            for (const event of events) event();
            return stream;
          };
          if (endpoint.stream) return await loggedStream();
          const write = () =>
            db.transaction().execute(async (trx) => {
              const userId = call.caller?.userId;
              if (serial !== null && userId !== undefined)
                await claimSerial(trx, userId, serial, endpoint.path, bodyHash, now);
              const made = await handle(trx).catch((error: unknown) => {
                if (error instanceof Fault && error.details.commit) return error;
                throw error;
              });
              if (made instanceof Fault) return made;
              if (serial !== null && userId !== undefined)
                await trx
                  .updateTable('serials')
                  .set({
                    status: 200,
                    answer: JSON.stringify(
                      endpoint.secretReply ? withoutData(made as ReturnType<typeof envelope>) : made,
                    ),
                  })
                  .where('user_id', '=', userId)
                  .where('serial', '=', serial)
                  .execute();
              await appendOperations(
                trx,
                eachProject(notes).map((row) =>
                  operationOf(endpoint, call, row, 'done', 200, loggedBody(parsed.data, endpoint.secret)),
                ),
              );
              return made;
            });
          const forget = () => {
            events.length = 0;
            for (const name of Object.keys(notes)) delete notes[name];
          };
          const answer = await inLane(() => repeated(write, forget));
          if (answer instanceof Fault) return await fail(answer);
          for (const event of events) event();
          return reply.send(answer);
        } catch (error) {
          if (error instanceof Replayed) return reply.status(error.status).send(error.answer);
          if (error instanceof Fault) return await fail(error);
          if (isUnusable(error)) return await fail(new Fault('request.malformed'));
          return sendFailure(error, endpoint, call);
        }
      },
    });
  };
};

/**
 * Claims a serial for this write, or throws the first answer. A second call waits here until the first has
 * committed.
 */
const claimSerial = async (
  trx: Db,
  userId: number,
  serial: string,
  path: string,
  bodyHash: Buffer,
  now: number,
): Promise<void> => {
  const claimed = await trx
    .insertInto('serials')
    .values({
      user_id: userId,
      serial,
      path,
      body_hash: bodyHash,
      status: 0,
      answer: 'null',
      created_at: new Date(now),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (claimed.numInsertedOrUpdatedRows === 1n) return;
  const first = await trx
    .selectFrom('serials')
    .selectAll()
    .where('user_id', '=', userId)
    .where('serial', '=', serial)
    .executeTakeFirstOrThrow();
  if (first.path !== path || !first.body_hash.equals(bodyHash)) throw new Fault('request.serialReused');
  throw new Replayed(first.status, first.answer);
};
