import { useValueWords } from '#web/i18n/i18n.ts';

/** 2 alarm: a filled octagon; 1 early warning: a triangle. */
export const AlarmLevel = ({ level, compact = false }: { level: number; compact?: boolean }) => {
  const t = useValueWords();
  if (level < 1) return null;
  const isAlarm = level >= 2;
  const word = t(($) => (isAlarm ? $.level.alarm : $.level.early));
  return (
    <span className={`alarm-level ${isAlarm ? 'is-alarm' : 'is-early'}`} title={word}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {isAlarm ? <path d="M5 1H11L15 5V11L11 15H5L1 11V5Z" /> : <path d="M8 1.5L15.2 14.5H.8Z" />}
        <path d="M8 5V9.4M8 11.2V12.6" className="alarm-level-mark" />
      </svg>
      <span className={compact ? 'out-of-sight' : undefined}>{word}</span>
    </span>
  );
};
