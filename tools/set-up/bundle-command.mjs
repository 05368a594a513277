import { spawn } from 'node:child_process';
import { ensureInstalled, runCommandOfTools } from '../install.mjs';
import { build } from './build.mjs';
import { endWithNpm } from './end-with-npm.mjs';
import { inRoot } from './workspace.mjs';

/** Builds projects and runs a script of theirs. Set-up speaks on standard error: standard output is the script's. */
export async function bundleCommand({ build: projects, script, args, env = process.env }) {
  endWithNpm();
  await runCommandOfTools(async () => {
    await ensureInstalled((line) => console.error(line));
    await build(projects);
    return run(inRoot(script), args, env);
  });
}

function run(script, args, env) {
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to the script too.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
