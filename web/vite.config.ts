import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown, type UserConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { chunksOf, type Entries } from './chunks.ts';

const root = new URL('.', import.meta.url).pathname;
const environment: Record<string, string | undefined> =
  (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};
const server = `http://127.0.0.1:${environment['PORT'] ?? 8080}`;

/** Every path that is not the console's own source goes to the server. */
const own =
  /^\/($|home|autologin|lowversion|@|node_modules|main\.tsx|index\.html|app\/|api\/|features\/|parts\/|values\/|theme\/|i18n\/|geo\/|contract\/|\?)|\.(js|css|svg|png|html|map|webmanifest|tsx?)(\?|$)/;

const entries: Entries = {
  door: 'web/index.html',
  shell: ['app/Console.tsx', 'app/shell/extras.ts'],
  tight: /(AlarmListPage|DatascreenPage|DeviceListPage|ProjectListPage)\.tsx$/,
  front: /(DevicePage|LineListPage)\.tsx$/,
  page: /(Page|ProjectAnalysis)\.tsx$/,
  leaf: /\/words\//,
};
const base = {
  root,
  plugins: [react()],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    manifest: true,
    target: 'baseline-widely-available',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      // These packages only define things, but do not say so.
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
  const chunkOf = (id: string, context: Rolldown.ChunkingContext): string | null => {
    // Styles are no code, so the plan does not know them: they go with what asks for them.
    const askers = id.endsWith('.css') ? (context.getModuleInfo(id)?.importers ?? []) : [id];
    return askers.map((each) => chunks.get(each)).find((name) => name !== undefined) ?? null;
  };
  return { groups: [{ name: chunkOf, debugName: 'shared', includeDependenciesRecursively: false }] };
};

export default defineConfig(
  async ({ command }): Promise<UserConfig> => ({
    ...base,
    plugins: [
      ...base.plugins,
      VitePWA({
        strategies: 'injectManifest',
        srcDir: 'worker',
        filename: 'sw.ts',
        registerType: 'prompt',
        injectRegister: false,
        includeManifestIcons: false,
        // Pages carry their own nonce and assets are kept for a year anyway: only what is shown offline is stored.
        injectManifest: { globPatterns: ['offline.html', 'offline.css', 'favicon.svg'] },
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
