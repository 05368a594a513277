// From what runs without packages to what is built with them.
// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError, runToEnd } from './processes.mjs';
import { inRoot, root } from './workspace.mjs';

/**
 * Calls a function of a bundle in dist/, which resolves to the exit code.
 * @param {string} bundle
 * @param {string} name
 * @param {unknown} argument
 * @returns {Promise<number>}
 */
export async function handOver(bundle, name, argument) {
  const module = await import(pathToFileURL(inRoot(bundle)).href);
  return module[name](argument);
}

/**
 * Calls `run` of a TypeScript file, in the root folder; it resolves to the exit code.
 * @param {string} file
 * @param {unknown} argument
 * @returns {Promise<number>}
 */
export function runSource(file, argument) {
  process.chdir(root);
  return callBundled(file, 'run', argument);
}

/**
 * Calls a function of a TypeScript file; it resolves to the exit code. The file is bundled as it is now, so that nothing
 * has to be built before; packages are taken from node_modules.
 * @param {string} file
 * @param {string} name
 * @param {unknown} argument
 * @returns {Promise<number>}
 */
export async function callBundled(file, name, argument) {
  const { build } = await import('esbuild');
  const folder = mkdtempSync(inRoot('node_modules/.farebox-command-'));
  try {
    const outfile = path.join(folder, 'command.cjs');
    await build({
      entryPoints: [inRoot(file)],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      logLevel: 'error',
      plugins: [
        {
          name: 'packages stay outside',
          setup({ onResolve }) {
            onResolve({ filter: /^[^./]/ }, ({ path: name }) =>
              name.startsWith('@farebox/') ? undefined : { path: name, external: true },
            );
          },
        },
      ],
    });
    const module = createRequire(import.meta.url)(outfile);
    return await module[name](argument);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a target of projects; Nx does again only what has changed. Resolves to 0, or throws with what failed.
 * @param {string} target
 * @param {string[]} projects
 */
export async function nx(target, projects) {
  if (projects.length === 0) throw new CommandError(`npm run ${target} needs the names of projects.`);
  const args = ['run-many', '-t', target, '-p', projects.join(','), '--outputStyle=static'];
  await runToEnd(`The ${target}`, inRoot('node_modules/nx/dist/bin/nx.js'), args, {
    cwd: root,
    // Neither the daemon nor isolated plugins: they are processes that outlive Nx.
    env: { ...process.env, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', NX_TUI: 'false' },
  });
  return 0;
}
