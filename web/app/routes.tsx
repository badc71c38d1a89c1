import {
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Fault, isNetworkFault } from '#web/api/fault.ts';
import { ensureSession, leave, leaveWithoutSession, signedIn } from '#web/api/session.ts';
import { inTime } from '#web/parts/late.tsx';
import './before-router.ts';
import { CrashNotice } from './CrashNotice.tsx';
import { MissingPage } from './MissingPage.tsx';
import {
  existingProjectScreens,
  existingSettings,
  homePath,
  homeScreens,
  projectScreenPath,
  projectTarget,
  settingsPath,
} from './menu.ts';
import { queryClient } from './query-client.ts';
import { SettingsDoor } from './SettingsDoor.tsx';
import { parseSearch, stringifySearch } from './search.ts';
import { Shell } from './shell/Shell.tsx';

const lazyScreen = (load: () => Promise<ComponentType>): AsyncRouteComponent<object> =>
  lazyRouteComponent(async () => ({ default: await inTime(load) }));
const forever = new Promise<never>(() => undefined);

/** Without a network the console opens with the data that this device stored last, if there is any. */
const hasLastState = async (): Promise<boolean> => {
  const { restoreLastState } = await inTime(() => import('./shell/extras.ts'));
  return restoreLastState(queryClient);
};
/** Without a session: to the sign-in screen, and back here afterwards. */
const needSession = async ({ location }: { location: { href: string } }) => {
  try {
    await ensureSession();
  } catch (error) {
    if (error instanceof Fault && isNetworkFault(error) && (await hasLastState())) return;
    if (!(error instanceof Fault) || error.status !== 401) throw error;
    leaveWithoutSession(location.href);
    await forever;
  }
};

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: MissingPage,
  errorComponent: CrashNotice,
});
const doorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    leave();
    await forever;
  },
});
/** The address in a panel's QR code. */
const panelRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/p/$number',
  beforeLoad: async (context) => {
    await needSession(context);
    await (await import('./pages/panel-door.ts')).enterPanel(context.params.number);
  },
});
const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/home',
  beforeLoad: needSession,
  component: Shell,
  notFoundComponent: MissingPage,
});
const toDatascreen = () => {
  throw redirect({ href: homePath('datascreen'), replace: true });
};
const homeIndex = createRoute({ getParentRoute: () => homeRoute, path: '/', beforeLoad: toDatascreen });
const projectIndex = createRoute({
  getParentRoute: () => homeRoute,
  path: 'configinfo',
  beforeLoad: ({ location }) => {
    throw redirect({ href: `${projectTarget(signedIn())}${location.searchStr}`, replace: true });
  },
});
const projectRoutes = existingProjectScreens().map(({ path, load }) =>
  createRoute({
    getParentRoute: () => homeRoute,
    path: `configinfo/${path}`,
    component: lazyScreen(async () => {
      const [{ ProjectFrame }, Page] = await Promise.all([import('./pages/ProjectFrame.tsx'), load()]);
      return () => <ProjectFrame screen={path} page={Page} />;
    }),
  }),
);
const screenRoutes = homeScreens.map(({ key, load }) =>
  createRoute({ getParentRoute: () => homeRoute, path: key, component: lazyScreen(load) }),
);
const settingsRoutes = existingSettings().map((page) => {
  const screen = lazyScreen(page.load);
  const door = () => <SettingsDoor asked={page.path} page={screen} />;
  return createRoute({
    getParentRoute: () => homeRoute,
    path: settingsPath(page).slice('/home/'.length),
    // The router waits for the screen before it draws anything: a door without it would be drawn twice.
    component: Object.assign(door, { preload: () => screen.preload?.() }),
  });
});
const settingsRest = createRoute({
  getParentRoute: () => homeRoute,
  path: 'configinfos/$',
  component: () => <SettingsDoor asked="" page={null} />,
});
const settingsIndex = createRoute({
  getParentRoute: () => homeRoute,
  path: 'configinfos',
  component: () => <SettingsDoor asked="alarmstatisticsShezhi" page={null} />,
});

export const routeTree = rootRoute.addChildren([
  doorRoute,
  panelRoute,
  homeRoute.addChildren([
    homeIndex,
    projectIndex,
    ...screenRoutes,
    ...projectRoutes,
    ...settingsRoutes,
    settingsIndex,
    settingsRest,
  ]),
]);
/** Loads the screen of an address; a panel's address leads to the lines of its device. */
const loadOf = (address: string) => {
  const shown =
    address === '/home' ? homePath('datascreen') : address.startsWith('/p/') ? homePath('linelist') : address;
  return (
    homeScreens.find(({ key }) => homePath(key) === shown)?.load ??
    existingProjectScreens().find((screen) => projectScreenPath(screen) === shown)?.load ??
    existingSettings().find((page) => settingsPath(page) === shown)?.load
  );
};
/** Loads the screen of an address before it is drawn. */
export const fetchAhead = (address: string): void => {
  loadOf(address)?.().catch(() => undefined);
};
/** Loads what the screen of an address shows first, while the router loads the screen. */
export const fetchFirstData = async ({ pathname, search }: Location): Promise<void> => {
  // Without a session or the screen's file the router knows what to do.
  const [fetchFirst] = await Promise.all([loadOf(pathname)?.first?.(), ensureSession()]).catch(() => []);
  await fetchFirst?.(queryClient, parseSearch(search));
};
export const makeRouter = () =>
  createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingMs: 200,
    // The frame with its live link stays around a screen that failed.
    defaultErrorComponent: CrashNotice,
  });
