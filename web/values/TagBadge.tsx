import { useValueWords } from '#web/i18n/i18n.ts';

const Padlock = () => (
  <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d="M4.5 7V5a3.5 3.5 0 0 1 7 0v2" />
    <rect x="3" y="7" width="10" height="7" rx="1" />
  </svg>
);

/** The padlock alone, with the number of tags. */
export const TagMark = ({ count }: { count: number }) => {
  const t = useValueWords();
  return (
    <span className="tag-badge is-mark" title={t(($) => $.lockout)}>
      <Padlock />
      <span className="out-of-sight">{t(($) => $.lockout)}</span>
      <span>{count}</span>
    </span>
  );
};

/** A lock-out tag: a padlock, its word, reason and owner. */
export const TagBadge = ({ reason, owner }: { reason: string; owner: string }) => {
  const t = useValueWords();
  return (
    <span className="tag-badge">
      <Padlock />
      <span>
        <strong>{t(($) => $.lockout)}</strong> {reason} · {owner}
      </span>
    </span>
  );
};
