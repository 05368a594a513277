import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `FAREBOX_OPERATOR_URL` is the service that `vite` talks to while the console is worked on. */
const SERVICE = process.env['FAREBOX_OPERATOR_URL'] ?? 'http://127.0.0.1:8083';

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: '../../dist/operator-console',
    emptyOutDir: true,
    assetsDir: 'operator/assets',
    // A data: URL would need a wider content security policy.
    assetsInlineLimit: 0,
    sourcemap: true,
    // One file of all that the first page needs: many small ones compress worse.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] } } },
  },
  server: { proxy: { '/operator/v1': SERVICE, '/operator/session': SERVICE } },
});
