import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = new URL('.', import.meta.url).pathname;
const environment: Record<string, string | undefined> =
  (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};
const server = `http://127.0.0.1:${environment['PORT'] ?? 8080}`;

/** Every path that is not the console's own source goes to the server. */
const own =
  /^\/($|home|autologin|lowversion|@|node_modules|main\.tsx|index\.html|app\/|api\/|features\/|parts\/|values\/|theme\/|i18n\/|geo\/|contract\/|\?)|\.(js|css|svg|html|map|tsx?)(\?|$)/;

export default defineConfig({
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
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store)\// },
            { name: 'echarts', test: /node_modules\/(echarts|zrender)\// },
          ],
        },
      },
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
});
