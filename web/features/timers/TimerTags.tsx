import { useTranslation } from 'react-i18next';
import type { TagBadge as TagOfLine } from '#contract/tags.ts';
import { TagBadge } from '#web/values/TagBadge.tsx';

/**
 * The tags on the line of a timer; a closing timer shows that it will not close. `brief`: the first tag, and
 * how many more.
 */
export const TimerTags = ({
  tags,
  action,
  brief = false,
}: {
  tags: readonly TagOfLine[];
  action: 'open' | 'close';
  brief?: boolean;
}) => {
  const { t } = useTranslation('timers');
  if (tags.length === 0) return null;
  const more = brief ? tags.length - 1 : 0;
  const all = tags.map(({ reason, owner }) => `${reason} · ${owner}`).join('\n');
  return (
    <>
      {tags.slice(0, tags.length - more).map(({ tag_id, reason, owner }) => (
        <span key={tag_id} className="timer-tag" title={all}>
          <TagBadge reason={reason} owner={owner} />
        </span>
      ))}
      {(more > 0 || action === 'close') && (
        <span className="timer-bad">
          {[more > 0 && `+${more}`, action === 'close' && t(($) => $.tagged)].filter(Boolean).join(' · ')}
        </span>
      )}
    </>
  );
};
