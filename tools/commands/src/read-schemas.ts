import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';

/** What is used here of a schema of zod. */
export interface VariableSchema {
  safeParse(value: unknown): { success: boolean; error?: { issues: { message: string }[] } };
  def: { type: string; defaultValue?: unknown; innerType?: VariableSchema; in?: VariableSchema };
}

/** By app, and by the name of the variable. */
export type Schemas = Record<string, Record<string, VariableSchema>>;

type Config = Record<string, ((environment: object) => unknown) | object>;
type Recorded = { shape: Record<string, VariableSchema> }[];

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
${Object.entries(CONFIGS)
  .map(([app, file]) => `import * as ${app} from './${file}';`)
  .join('\n')}
export { recorded } from 'recording';
export { KNOWN_VARIABLES } from './libs/config/src/known-variables';
export const configs = { ${Object.keys(CONFIGS).join(', ')} };`;

/**
 * The schemas of every variable: what each of the apps reads its environment with, recorded as it does so. And the
 * variables that libs/config knows of.
 */
export async function readSchemas(): Promise<{ schemas: Schemas; knownVariables: string[] }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-operating-'));
  const outfile = path.join(folder, 'configs.cjs');
  try {
    await build({
      stdin: { contents: ENTRY, resolveDir: process.cwd(), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['pg-native'],
      define: { 'import.meta.url': '"file:///"' },
      plugins: [recordingPlugin],
      outfile,
      logLevel: 'error',
    });
    const bundle = createRequire(outfile)(outfile) as {
      configs: Record<string, Config>;
      recorded: Recorded;
      KNOWN_VARIABLES: string[];
    };
    const schemas = Object.entries(bundle.configs).map(([app, config]) => [
      app,
      schemasOf(config, bundle.recorded),
    ]);
    return { schemas: Object.fromEntries(schemas) as Schemas, knownVariables: bundle.KNOWN_VARIABLES };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Everything that a config.ts reads of an empty environment, which it then says is wrong. */
function schemasOf(config: Config, recorded: Recorded): Record<string, VariableSchema> {
  recorded.splice(0);
  for (const [name, read] of Object.entries(config)) {
    if (!name.startsWith('read') || typeof read !== 'function') continue;
    try {
      read({});
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ConfigError') throw error;
    }
  }
  return Object.assign({}, ...recorded.map((schema) => schema.shape)) as Record<string, VariableSchema>;
}

/** Puts a `loadConfig` in place of the real one that does the same, and keeps the schema. */
const recordingPlugin: Plugin = {
  name: 'record the schemas',
  setup(bundler) {
    const real = path.resolve('libs/config/src/load-config.ts');
    bundler.onResolve({ filter: /^recording$/ }, () => ({ path: 'recording', namespace: 'recording' }));
    bundler.onResolve({ filter: /^\.\/load-config$/ }, ({ importer, resolveDir }) =>
      importer !== 'recording' && resolveDir === path.dirname(real)
        ? { path: 'recording', namespace: 'recording' }
        : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'recording' }, () => ({
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
