import { Button } from 'antd';
import { type ReactNode, useLayoutEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { showsOnScreen } from '#web/api/announce.ts';
import { Fault, isNetworkFault } from '#web/api/fault.ts';
import { EmptyList } from './EmptyList.tsx';
import { PageHeader } from './PageHeader.tsx';
import { useArrived } from './use-arrived.ts';

export interface QueryLike<Data> {
  data: Data | undefined;
  error: Error | null;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => unknown;
}

/** What happened, what it means, what to do, with the request id. */
export const FaultNotice = ({ error, onRetry }: { error: Error; onRetry: () => void }) => {
  const { t } = useTranslation('common');
  useLayoutEffect(() => showsOnScreen(error), [error]);
  const fault = error instanceof Fault ? error : null;
  // If the fault names filter fields, their errors are shown instead of the general sentence. A retry would fail
  // again, as it would without a permission, or for a thing that does not exist.
  const sentences = fault ? [...new Set(Object.values(fault.fields))] : [];
  const isFinal = fault?.status === 403 || fault?.status === 404;
  return (
    <div className="fault-notice" role="alert">
      <p>
        <strong>{t(($) => $.fault.title)}</strong>
      </p>
      {sentences.length > 0 ? (
        sentences.map((sentence) => <p key={sentence}>{sentence}</p>)
      ) : (
        <p>
          {fault && !isNetworkFault(fault)
            ? fault.message
            : t(($) => (fault ? $.fault.network : $.fault.unknown))}
        </p>
      )}
      {sentences.length === 0 && (
        <>
          {fault?.requestId && (
            <p className="soft">
              {t(($) => $.fault.requestId)} <code>{fault.requestId}</code>
            </p>
          )}
          {!isFinal && <Button onClick={onRetry}>{t(($) => $.fault.retry)}</Button>}
        </>
      )}
    </div>
  );
};

/** Bars in place of lines of text. */
const Skeleton = ({ rows }: { rows: number }) => (
  <div className="skeleton">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all the same
      <span key={row} className="skeleton-bar" />
    ))}
  </div>
);

/** One region of a screen: skeleton in the final size, error with retry, empty state, or its content. */
export const DataState = <Data,>({
  query,
  children,
  rows = 4,
  height,
  isEmpty,
  empty,
  filtered,
  onResetFilters,
  title,
}: {
  query: QueryLike<Data>;
  children: (data: Data) => ReactNode;
  rows?: number;
  height?: number | string;
  isEmpty?: (data: Data) => boolean;
  empty?: ReactNode;
  filtered?: boolean;
  onResetFilters?: () => void;
  /** The heading until the data arrive, if they are a whole page with a heading of its own. */
  title?: string;
}) => {
  const data = useArrived(query.data);
  if (data !== undefined) {
    if (isEmpty?.(data))
      return (
        <EmptyList filtered={filtered} onResetFilters={onResetFilters}>
          {empty}
        </EmptyList>
      );
    return children(data);
  }
  return (
    <>
      {title !== undefined && <PageHeader title={title} />}
      {query.error ? (
        <FaultNotice error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Waiting height={height} rows={rows} />
      )}
    </>
  );
};

const Waiting = ({ height, rows }: { height: number | string | undefined; rows: number }) => (
  <div style={height === undefined ? undefined : { height }} aria-busy="true">
    <Skeleton rows={rows} />
  </div>
);
