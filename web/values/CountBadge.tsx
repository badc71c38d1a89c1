const most = 999;

/** A number that asks for attention; nothing for zero. */
export const CountBadge = ({ count, title }: { count: number; title?: string }) =>
  count > 0 && (
    <span className="count-badge tabular" title={title ?? String(count)}>
      {count > most ? `${most}+` : count}
    </span>
  );
