import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import * as z from 'zod';
import { messageEndpoints, messageTypes } from '#contract/messages.ts';
import { filled } from '#web/api/filled.ts';
import { endpointQuery, keptQuery, keyOf } from '#web/api/query.ts';
import { useLiveRefresh } from '#web/api/use-live-refresh.ts';
import { listShape, optionalNumber, optionalOf } from '#web/parts/url-state.ts';

/** Fields of the messages' address. */
export const messageSearch = z.object({
  ...listShape,
  sort: optionalOf(['time', '-time']),
  type: optionalOf(messageTypes),
  read: optionalOf(['read', 'unread']),
  /** The message whose drawer is open. */
  message: optionalNumber,
});
export type MessageSearch = z.output<typeof messageSearch>;

export const messagesQuery = ({ page, limit, sort, type, read }: MessageSearch) =>
  keptQuery(messageEndpoints.list, { page, limit, ...filled({ sort, type, read }) });

/** Message types with the number of unread ones, updated as messages arrive. */
export const useMessageTypes = () => {
  useLiveRefresh(['message'], [messageEndpoints.types], 1000);
  return useQuery(endpointQuery(messageEndpoints.types, {}));
};

export const useMessagesChanged = (): (() => Promise<void>) => {
  const client = useQueryClient();
  return useCallback(async () => {
    await Promise.all(
      [messageEndpoints.list, messageEndpoints.types].map((endpoint) =>
        client.invalidateQueries({ queryKey: keyOf(endpoint) }),
      ),
    );
  }, [client]);
};
