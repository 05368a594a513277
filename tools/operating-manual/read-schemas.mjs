import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { inRoot } from '../set-up/workspace.mjs';

/** What is deployed, and where each of them reads its environment, by functions named `read…`. */
const CONFIGS = {
  gateway: 'apps/gateway/src/config.ts',
  account: 'apps/account/src/config.ts',
  worker: 'apps/worker/src/config.ts',
  admin: 'apps/admin/src/config.ts',
  edge: 'apps/edge/src/config.ts',
  migration: 'apps/migration/src/config.ts',
};

const ENTRY = `
${Object.keys(CONFIGS)
  .map((app) => `import * as ${app} from './${CONFIGS[app]}';`)
  .join('\n')}
export { recorded } from 'recording';
export { KNOWN_VARIABLES } from './libs/config/src/known-variables';
export const configs = { ${Object.keys(CONFIGS).join(', ')} };`;

/**
 * The schemas of every variable, by app and name: what each of the apps reads its environment with, recorded as it
 * does so. And the variables that libs/config knows of.
 */
export async function readSchemas() {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-operating-'));
  const outfile = path.join(folder, 'configs.cjs');
  try {
    await build({
      stdin: { contents: ENTRY, resolveDir: inRoot(), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['pg-native'],
      define: { 'import.meta.url': '"file:///"' },
      plugins: [recordingPlugin],
      outfile,
      logLevel: 'error',
    });
    const { configs, recorded, KNOWN_VARIABLES } = createRequire(import.meta.url)(outfile);
    const schemas = Object.entries(configs).map(([app, config]) => [app, schemasOf(config, recorded)]);
    return { schemas: Object.fromEntries(schemas), knownVariables: KNOWN_VARIABLES };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Everything that a config.ts reads of an empty environment, which it then says is wrong. */
function schemasOf(config, recorded) {
  recorded.splice(0);
  for (const [name, read] of Object.entries(config)) {
    if (!name.startsWith('read')) continue;
    try {
      read({});
    } catch (error) {
      if (error.name !== 'ConfigError') throw error;
    }
  }
  return Object.assign({}, ...recorded.map((schema) => schema.shape));
}

/** Puts a `loadConfig` in place of the real one that does the same, and keeps the schema. */
const recordingPlugin = {
  name: 'record the schemas',
  setup({ onResolve, onLoad }) {
    const real = inRoot('libs/config/src/load-config.ts');
    onResolve({ filter: /^recording$/ }, () => ({ path: 'recording', namespace: 'recording' }));
    onResolve({ filter: /^\.\/load-config$/ }, ({ importer, resolveDir }) =>
      importer !== 'recording' && resolveDir === path.dirname(real)
        ? { path: 'recording', namespace: 'recording' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'recording' }, () => ({
      contents: `
        import { ConfigError, loadConfig as load } from ${JSON.stringify(real)};
        export { ConfigError };
        export const recorded = [];
        export function loadConfig(schema, environment) {
          recorded.push(schema);
          return load(schema, environment);
        }`,
      resolveDir: path.dirname(real),
      loader: 'ts',
    }));
  },
};
