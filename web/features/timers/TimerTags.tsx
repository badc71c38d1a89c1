import { useTranslation } from 'react-i18next';
import { TagBadge } from '../../values/TagBadge.tsx';
import type { TimerTag } from './timer-tags.ts';

/** The tags on the line of a timer; one that would close the line says that it will not. */
export const TimerTags = ({ tags, action }: { tags: readonly TimerTag[]; action: 'open' | 'close' }) => {
  const { t } = useTranslation('timers');
  return (
    <>
      {tags.map(({ tag_id, reason, owner }) => (
        <span key={tag_id} className="timer-tag">
          <TagBadge reason={reason} owner={owner} />
        </span>
      ))}
      {tags.length > 0 && action === 'close' && <span className="timer-bad">{t(($) => $.tagged)}</span>}
    </>
  );
};
