import { existsSync, readFileSync } from 'node:fs';
import { bundleCommand } from './bundle-command.mjs';
import { inRoot } from './workspace.mjs';

/** Runs the admin command. */
export function adminCommand(args) {
  const env = { ...localEnvironment(), ...setVariables(process.env) };
  return bundleCommand({ build: ['admin'], script: 'dist/admin/main.js', args, env });
}

/** What `npm start` has last set up here. */
function localEnvironment() {
  const local = readJson(inRoot('.farebox/local.json'));
  const secrets = readJson(inRoot('.farebox/secrets.json'));
  return setVariables({
    DATABASE_URL: local.database_url,
    FAREBOX_SIMULATED_UPSTREAM_URL: local.simulated_upstream_url,
    FAREBOX_KEY_PEPPERS: secrets.key_peppers,
    FAREBOX_PUBLIC_URL: local.base_url,
  });
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Empty counts as not set. */
function setVariables(env) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}
