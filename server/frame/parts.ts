import type * as z from 'zod';
import type { Endpoint, InputOf, ReplyOf } from '#contract/endpoint.ts';
import { Fault } from '#server/core/fault.ts';
import { mayCall } from '#server/core/scope.ts';
import type { Call, Serve } from '#server/core/serve.ts';

/** The reply of another feature's call to the same caller; null: that call refuses the caller. */
export type AskPart = <Body extends z.ZodType, Reply extends z.ZodType, E extends Endpoint<Body, Reply>>(
  endpoint: E & Endpoint<Body, Reply>,
  body: InputOf<E>,
  call: Call<unknown>,
) => Promise<ReplyOf<E> | null>;
type Handler = (call: Call<unknown>) => unknown;

/** Binds as `serve` does, and stores the handlers, so that one call can combine the replies of others. */
export const rememberParts = (serve: Serve): { serve: Serve; ask: AskPart } => {
  const handlers = new Map<string, Handler>();
  return {
    serve: (endpoint, handler) => {
      handlers.set(endpoint.path, handler as unknown as Handler);
      serve(endpoint, handler);
    },
    ask: async (endpoint, body, call) => {
      const handler = handlers.get(endpoint.path);
      if (!handler) throw new Error(`${endpoint.path} is not bound`);
      if (!mayCall(call.caller, endpoint.permission)) return null;
      try {
        return (await handler({ ...call, body: endpoint.body.parse(body) })) as never;
      } catch (error) {
        if (error instanceof Fault) return null;
        throw error;
      }
    },
  };
};
