import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { antdRules } from './antd-rules.ts';
import { chunksOf, type Entries } from './chunks.ts';
import { firstViews, manyParts, mostParts, tightViews } from './first-views.ts';

const root = new URL('.', import.meta.url).pathname;
const environment: Record<string, string | undefined> =
  (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};
const server = `http://127.0.0.1:${environment['PORT'] ?? 8080}`;

/** Every path outside the console's own sources goes to the server. */
const own =
  /^\/($|home|autologin|lowversion|@|node_modules|main\.tsx|index\.html|app\/|api\/|features\/|parts\/|values\/|theme\/|i18n\/|geo\/|contract\/|\?)|\.(js|css|svg|png|html|map|webmanifest|tsx?)(\?|$)/;

const entries: Entries = {
  door: 'web/index.html',
  shell: ['app/Console.tsx', 'app/shell/extras.ts'],
  late: /\/shell\/extras\.ts$/,
  tight: /DatascreenPage\.tsx$/,
  main: /(AlarmListPage|DeviceListPage|ProjectListPage|SearchPage|SitePage|UserListPage)\.tsx$/,
  list: /(LineListPage|LineTablePage|TimersPage|MaintenancePage|SystemPage|DatabasePage|FirmwarePage|AlarmTypesPage)\.tsx$/,
  front: /DevicePage\.tsx$/,
  page: /(Page|ProjectAnalysis)\.tsx$/,
  firstViews,
  manyParts,
  mostParts,
  tightViews,
  own: /\/(engine|street-ground)\.ts$/,
  leaf: /\/words\//,
};
/** Features whose words a device page shows together: one file per language. */
const wordsOfDevice =
  /\/features\/(?:access|control|demo|devices|lines|one-key|tags|trends)\/words\/([\w-]+)\.ts$/;
/** Features whose styles a device's page needs, including the statistics, parts of which it shows. */
const ofDevice =
  /^(access|alarm-statistics|control|demo|device-settings|devices|lines|one-key|statistics|tags|timers|trends|what-if)$/;
/**
 * Styles are built into few files: those of every screen, those of each front page, those of a device's page
 * and the statistics, and those of all other pages. Styles of the sign-in page, and of the street map, stay
 * with their own scripts.
 */
const stylesOf = (id: string): string | null => {
  if (/\/(theme\/base|sign-in\/[\w-]+|maplibre-gl)\.css$/.test(id)) return null;
  // These parts of the shell load separately: the palette when it is opened, the bottom bar on phones.
  if (/\/(palette|bottom-bar)\.css$/.test(id)) return null;
  if (id.endsWith('/map.css')) return 'styles-dashboard';
  // The table of alarms is shown by other pages too.
  if (/\/web\/(app|parts|theme|values|features\/(messages|popups))\/|\/alarms\.css$/.test(id))
    return 'styles';
  const [, feature = ''] = /\/features\/([\w-]+)\//.exec(id) ?? [];
  if (/^(alarms|dashboard|projects)$/.test(feature)) return `styles-${feature}`;
  if (id.endsWith('/line-table.css')) return 'styles-pages';
  return ofDevice.test(feature) ? 'styles-device' : 'styles-pages';
};
/**
 * Removes JSON schemas from Zod, 5 kB of every screen, which only the server needs; and Zod's English sentences,
 * 1.5 kB: fields have those of `contract/faults/issues.ts`.
 */
const zodOfConsole = {
  name: 'zod-of-console',
  transform: (code: string, id: string): string | null => {
    if (!id.endsWith('/zod/v4/classic/schemas.js')) return null;
    const changed = code
      .replaceAll(/^ *inst\._zod\.processJSONSchema = .*;$/gm, '')
      .replace(/jsonSchema: \{[^}]*\},/, '')
      .replace(/toJSONSchema\(params\) \{[^}]*\}\)\(params\);\s*\},/, '')
      .replace('import en from "../locales/en.js";', '')
      .replace('core.config(en());', ';');
    if (
      /createToJSON|createStandardJSON|Processor\(|(?<!`)config\(en/.test(
        changed.replace(/^import .*$/gm, ''),
      )
    )
      throw new Error('zod has another form than web/vite.config.ts expects');
    return changed;
  },
};
/**
 * Removes antd's skeleton, which its dialogs and drawers need only for `loading`: the console uses DataState
 * instead.
 */
const withoutSkeleton = {
  name: 'without-skeleton',
  enforce: 'pre' as const,
  resolveId: (source: string, importer?: string) =>
    source === '../skeleton' && /\/antd\/es\/(modal|drawer)\//.test(importer ?? '') ? '\0no-skeleton' : null,
  load: (id: string) =>
    id === '\0no-skeleton' ? `export default () => { throw new Error('use DataState') };` : null,
};
/**
 * A choice, menu or tip that has not been opened is drawn twice without this: each marks its place as unknown when
 * it is first drawn, as it already is.
 */
const withoutSecondDrawing = {
  name: 'without-second-drawing',
  transform: (code: string, id: string): string | null => {
    if (!id.endsWith('/@rc-component/trigger/es/hooks/useAlign.js')) return null;
    const changed = code.replace(
      /setOffsetInfo\((ori) => \(\{\s*\.\.\.ori,\s*ready: false\s*\}\)\)/,
      'setOffsetInfo(($1) => ($1.ready ? { ...$1, ready: false } : $1))',
    );
    if (changed === code) throw new Error('antd has another form than web/vite.config.ts expects');
    return changed;
  },
};
const base = {
  root,
  plugins: [react(), zodOfConsole, withoutSkeleton, withoutSecondDrawing, antdRules],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    target: 'baseline-widely-available',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      // These packages have no side effects, but do not declare it.
      treeshake: {
        moduleSideEffects: [
          { test: /node_modules\/(@rc-component|@ant-design|i18next)\//, sideEffects: false },
        ],
      },
    },
  },
} satisfies UserConfig;

const split = async () => {
  const chunks = await chunksOf(base, entries);
  const chunkOf = (id: string): string | null => {
    const [, language] = wordsOfDevice.exec(id) ?? [];
    if (language !== undefined) return `words-device-${language}`;
    return id.endsWith('.css') ? stylesOf(id) : (chunks.get(id) ?? null);
  };
  return { groups: [{ name: chunkOf, debugName: 'shared', includeDependenciesRecursively: false }] };
};

export default defineConfig(
  async ({ command }): Promise<UserConfig> => ({
    ...base,
    plugins: [
      ...base.plugins,
      // `scripts/console-files.ts` changes the files after the build has named them by their hashes, so the
      // change is part of the hash.
      { name: 'changed-after', augmentChunkHash: () => 'without facades, with helpers, compiled early' },
      VitePWA({
        strategies: 'injectManifest',
        srcDir: 'worker',
        filename: 'sw.ts',
        registerType: 'prompt',
        injectRegister: false,
        includeManifestIcons: false,
        // The street map is of no use without a network.
        injectManifest: {
          globPatterns: ['offline.html', 'offline.css', 'favicon.svg', 'assets/*.{js,css}'],
          globIgnores: ['assets/{street-ground,maplibre}*'],
          dontCacheBustURLsMatching: /^assets\//,
        },
        manifest: {
          name: 'Ampwatch',
          short_name: 'Ampwatch',
          id: '/',
          start_url: '/home',
          scope: '/',
          display: 'standalone',
          background_color: '#10151c',
          theme_color: '#171e27',
          icons: [
            { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
            { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
            { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
            { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
          ],
        },
      }),
    ],
    build: {
      ...base.build,
      rolldownOptions: {
        ...base.build.rolldownOptions,
        output: command === 'build' ? { codeSplitting: await split() } : {},
      },
    },
    server: {
      port: 5173,
      strictPort: false,
      proxy: {
        '/': {
          target: server,
          bypass: (request) => (own.test(request.url ?? '/') ? request.url : null),
        },
      },
    },
  }),
);
