import { Button } from 'antd';
import { type ReactNode, useLayoutEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { showsOnScreen } from '#web/api/announce.ts';
import { Fault, isNetworkFault, localCodes } from '#web/api/fault.ts';
import { useIsCut } from '#web/api/link-state.ts';
import { EmptyList } from './EmptyList.tsx';
import { late } from './late.tsx';
import { PageHeader } from './PageHeader.tsx';
import { useArrived } from './use-arrived.ts';

const NotCurrent = late(async () => (await import('./NotCurrent.tsx')).NotCurrent);

export interface QueryLike<Data> {
  data: Data | undefined;
  /** When `data` arrived. */
  dataUpdatedAt: number;
  /** `data` belongs to the former choice, and those of the present one are loaded. */
  isPlaceholderData?: boolean;
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

/**
 * Above data that are not current: since when they are old and why, if their last refresh failed, or that they belong
 * to the former choice. Without contact to the server the frame says for everything how old it is.
 */
export const StaleNotice = ({ query }: { query: Omit<QueryLike<unknown>, 'isPending' | 'isFetching'> }) => {
  const isCut = useIsCut();
  const { data, error, dataUpdatedAt, refetch } = query;
  const isRestoring = error instanceof Fault && error.code === localCodes.restoring;
  if (data === undefined || isCut || isRestoring) return null;
  if (error === null) return query.isPlaceholderData ? <NotCurrent /> : null;
  return <NotCurrent failed={{ error, at: dataUpdatedAt, onRetry: () => void refetch() }} />;
};
/**
 * What is wrong with data that are shown elsewhere: they could not be loaded, or not be refreshed. `also`: other queries
 * that the same place shows. One notice speaks for all, the worst, and loads again all that failed.
 */
export const QueryNotice = ({
  query,
  also = [],
}: {
  query: QueryLike<unknown>;
  also?: readonly QueryLike<unknown>[];
}) => {
  const failed = [...new Set([query, ...also])].filter(({ error }) => error !== null);
  useLayoutEffect(() => {
    for (const { error } of failed) if (error) showsOnScreen(error);
  });
  const refetch = () => {
    for (const each of failed) void each.refetch();
  };
  const missing = failed.find(({ data }) => data === undefined);
  if (missing?.error) return <FaultNotice error={missing.error} onRetry={refetch} />;
  const [first = query] = failed;
  const dataUpdatedAt = Math.min(...[first, ...failed].map((each) => each.dataUpdatedAt));
  // Named one by one: what is read of a query decides which of its changes draw the screen again.
  const { data, error, isPlaceholderData = false } = first;
  return <StaleNotice query={{ data, error, isPlaceholderData, dataUpdatedAt, refetch }} />;
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
  waiting,
  isEmpty,
  empty,
  filtered,
  onResetFilters,
  title,
  also = [],
}: {
  query: QueryLike<Data>;
  /** Other queries that the content shows: one notice speaks for all of them. */
  also?: readonly QueryLike<unknown>[];
  children: (data: Data) => ReactNode;
  rows?: number;
  height?: number | string;
  /** The content without its data, if bars of one height could not take its place in every window. */
  waiting?: ReactNode;
  isEmpty?: (data: Data) => boolean;
  empty?: ReactNode;
  filtered?: boolean;
  onResetFilters?: () => void;
  /** The heading until the data arrive, if they are a whole page with a heading of its own. */
  title?: string;
}) => {
  const data = useArrived(query.data);
  if (data !== undefined) {
    return (
      <>
        <QueryNotice query={query} also={also} />
        {isEmpty?.(data) ? (
          <EmptyList filtered={filtered} onResetFilters={onResetFilters}>
            {empty}
          </EmptyList>
        ) : (
          children(data)
        )}
      </>
    );
  }
  return (
    <>
      {title !== undefined && <PageHeader title={title} />}
      {query.error ? (
        <QueryNotice query={query} also={also} />
      ) : (
        <Waiting height={height} rows={rows}>
          {waiting}
        </Waiting>
      )}
    </>
  );
};

const Waiting = ({
  height,
  rows,
  children,
}: {
  height: number | string | undefined;
  rows: number;
  children: ReactNode;
}) => (
  <div style={height === undefined ? undefined : { height }} aria-busy="true">
    {children ?? <Skeleton rows={rows} />}
  </div>
);
