import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, render } from '@testing-library/react';
import { App } from 'antd';
import type { ReactNode } from 'react';
import { afterAll, vi } from 'vitest';
import type { Language } from '#contract/languages.ts';
import type { LiveEvent, LiveEventName } from '#contract/live.ts';
import type { Permission } from '#contract/permissions.ts';
import { startLive } from './api/live.ts';
import { makeQueryClient } from './api/query.ts';
import { type Session, useSession } from './api/session.ts';
import { parseSearch, stringifySearch } from './app/search.ts';
import { startLanguage } from './i18n/i18n.ts';

/** The replies of the server: data, or an error answer, by path. */
type Reply = object | ((body: never) => object);
export interface Refusal {
  refused: true;
  status: number;
  code: number;
  msg: string;
  data: object;
}
const isRefusal = (given: object): given is Refusal => 'refused' in given;

export interface Stage {
  /** Bodies that were sent, by path. */
  sent: (path: string) => unknown[];
  deliver<Name extends LiveEventName>(name: Name, data: LiveEvent[Name]): void;
}

let endLive = () => {};
afterAll(() => endLive());

/** A server and a live stream for parts of the console that run without a browser. */
export const setStage = async (given: {
  language?: Language;
  words: Record<string, object>;
  replies: Record<string, Reply>;
  role?: number;
  permissions?: readonly Permission[];
  everyProject?: boolean;
  /** Projects of which the account manages parts only. */
  partialProjects?: number[];
}): Promise<Stage> => {
  const { language = 'en-US', words, replies, role = 1, permissions = [], everyProject = true } = given;
  const { partialProjects = [] } = given;
  const sent: { path: string; body: unknown }[] = [];
  // biome-ignore lint/suspicious/noDocumentCookie: as the console writes it
  document.cookie = `language=${language}; path=/`;
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const body: unknown = JSON.parse((init.body as string | undefined) ?? '{}');
    sent.push({ path, body });
    const reply = replies[path];
    if (reply === undefined) throw new Error(`nobody answers ${path}`);
    const data: object = await (typeof reply === 'function' ? reply(body as never) : reply);
    return isRefusal(data)
      ? new Response(JSON.stringify({ code: data.code, msg: data.msg, data: data.data }), {
          status: data.status,
        })
      : new Response(JSON.stringify({ code: 200, msg: '', data }));
  });
  const streams: EventTarget[] = [];
  vi.stubGlobal(
    'EventSource',
    class extends EventTarget {
      readyState = 1;
      constructor() {
        super();
        streams.push(this);
        const hello = new MessageEvent('hello', { data: '{"resumed":true}' });
        queueMicrotask(() => this.dispatchEvent(hello));
      }
      close() {}
    },
  );
  useSession.setState({
    session: {
      role,
      permissions,
      letters: '',
      preferences: {},
      every_project: everyProject,
      partial_projects: partialProjects,
    } as unknown as Session,
  });
  await startLanguage(async () => words);
  endLive();
  endLive = startLive(() => undefined);
  return {
    sent: (path) => sent.filter((each) => each.path === path).map(({ body }) => body),
    deliver: (name, data) =>
      act(() => {
        for (const stream of streams)
          stream.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
      }),
  };
};

/** Shows a part of the console at an address; returns the address as it is now. */
export const showAt = (part: ReactNode, address = '/'): (() => string) => {
  const rootRoute = createRootRoute();
  const anywhere = createRoute({ getParentRoute: () => rootRoute, path: '$', component: () => part });
  const router = createRouter({
    routeTree: rootRoute.addChildren([anywhere]),
    history: createMemoryHistory({ initialEntries: [address] }),
    parseSearch,
    stringifySearch,
  });
  const client = makeQueryClient();
  client.setDefaultOptions({ queries: { retry: false } });
  render(
    <QueryClientProvider client={client}>
      <App>
        <RouterProvider router={router} />
      </App>
    </QueryClientProvider>,
  );
  return () => router.history.location.href;
};
