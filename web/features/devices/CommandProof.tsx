import { useTranslation } from 'react-i18next';
import { LineState } from '#web/values/LineState.tsx';
import { Quantity } from '#web/values/Quantity.tsx';
import { TimeText } from '#web/values/TimeText.tsx';
import type { Command } from './devices.query.ts';

const units: Readonly<Record<string, string>> = { U: 'V', I: 'A' };
/** `out.I.a` is current of phase a on the load side. */
const unitOf = (channel: string) => units[channel.split('.').find((part) => part in units) ?? ''] ?? '';
const asNumbers = (values: unknown): [string, number][] =>
  values !== null && typeof values === 'object'
    ? Object.entries(values).filter((pair): pair is [string, number] => typeof pair[1] === 'number')
    : [];

/** The readings that prove or contradict a command, and an answer that came too late to count. */
export const CommandProof = ({ command: { evidence, late } }: { command: Command }) => {
  const { t } = useTranslation('devices');
  const position = evidence?.['position'];
  const at = evidence?.['at'];
  const lateAt = late?.['at'];
  const isKnown = position === 0 || position === 1;
  if (!isKnown && lateAt === undefined) return <span className="soft">—</span>;
  return (
    <span className="command-proof">
      {isKnown && (
        <>
          <LineState state={position === 1 ? 'closed' : 'open'} />
          {asNumbers(evidence?.['values']).map(([channel, value]) => (
            <span key={channel} className="nowrap">
              {' · '}
              <span className="soft">{channel}</span> <Quantity value={value} unit={unitOf(channel)} />
            </span>
          ))}
          {typeof at === 'string' && (
            <span className="soft">
              {' · '}
              <TimeText at={at} />
            </span>
          )}
        </>
      )}
      {typeof lateAt === 'string' && (
        <span className="soft">
          {isKnown && ' · '}
          {t(($) => $.history.late)} <TimeText at={lateAt} />
        </span>
      )}
    </span>
  );
};
