import { useTranslation } from 'react-i18next';
import { useFormats } from '#web/i18n/format.ts';
import { useUnit } from '#web/values/use-unit.ts';
import type { Command } from './devices.query.ts';

/** How long each step of a command took. */
export const CommandSteps = ({ command }: { command: Command }) => {
  const { t } = useTranslation('devices');
  const formats = useFormats();
  const unitOf = useUnit();
  const marks: [key: 'sent' | 'acknowledged' | 'ended', at: string | null][] = [
    ['sent', command.sent_at],
    ['acknowledged', command.acknowledged_at],
    ['ended', command.ended_at],
  ];
  const reached = marks.filter((mark): mark is [(typeof mark)[0], string] => mark[1] !== null);
  return (
    <ol className="command-steps">
      {reached.map(([key, at], index) => {
        const before = reached[index - 1]?.[1] ?? command.created_at;
        const seconds = Math.max(0, (Date.parse(at) - Date.parse(before)) / 1000);
        return (
          <li key={key} title={formats.dateTime(at)}>
            {t(($) => $.history.step[key])}{' '}
            <span className="soft">
              +{formats.number(seconds, 1)} {unitOf('s')}
            </span>
          </li>
        );
      })}
    </ol>
  );
};
