import { runScript } from './run-command.mjs';
import { inRoot, root } from './workspace.mjs';

/** Builds projects into dist/. Nx does again only what has changed. */
export async function build(projects) {
  const args = ['run-many', '-t', 'build', '-p', projects.join(','), '--outputStyle=static'];
  await runScript('The build', inRoot('node_modules/nx/dist/bin/nx.js'), args, {
    cwd: root,
    // Neither the daemon nor isolated plugins: they are processes that outlive Nx.
    env: { ...process.env, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', NX_TUI: 'false' },
  });
}
