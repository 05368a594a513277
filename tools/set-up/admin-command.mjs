import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { ensureInstalled, runCommandOfTools } from '../install.mjs';
import { build } from './build.mjs';
import { endWithNpm } from './end-with-npm.mjs';
import { inRoot } from './workspace.mjs';

/** Runs the admin command. Set-up speaks on standard error: standard output is the command's own. */
export async function adminCommand(args) {
  endWithNpm();
  await runCommandOfTools(async () => {
    await ensureInstalled((line) => console.error(line));
    await build(['admin']);
    return run(args);
  });
}

function run(args) {
  const child = spawn(process.execPath, [inRoot('dist/admin/main.js'), ...args], {
    stdio: 'inherit',
    env: { ...localEnvironment(), ...setVariables(process.env) },
  });
  // A terminal sends Ctrl-C to the command too.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** What `npm start` has last set up here. */
function localEnvironment() {
  const local = readJson(inRoot('.farebox/local.json'));
  const secrets = readJson(inRoot('.farebox/secrets.json'));
  return setVariables({
    DATABASE_URL: local.database_url,
    FAREBOX_SIMULATED_UPSTREAM_URL: local.simulated_upstream_url,
    FAREBOX_KEY_PEPPERS: secrets.key_peppers,
  });
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Empty counts as not set. */
function setVariables(env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}
