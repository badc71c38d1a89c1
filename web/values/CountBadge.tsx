const most = 999;

/** A number that asks for attention; nothing for zero, and a dash for a number that is not known. */
export const CountBadge = ({
  count,
  title,
}: {
  count: number | undefined;
  /** Also says that the number is not known. */
  title?: string | undefined;
}) =>
  count === undefined ? (
    <span className="count-badge is-unknown" title={title}>
      <span aria-hidden>—</span>
      {title !== undefined && <span className="out-of-sight">{title}</span>}
    </span>
  ) : (
    count > 0 && (
      <span className="count-badge tabular" title={title ?? String(count)}>
        {count > most ? `${most}+` : count}
      </span>
    )
  );
