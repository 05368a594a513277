// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** @param {string[]} parts */
export const inRoot = (...parts) => path.join(root, ...parts);

/**
 * SHA-256 of files, one after the other.
 * @param {string[]} files
 */
export function digestOf(...files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * The content of a small file that says what something was made from; undefined if there is none.
 * @param {string} file
 */
export function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/**
 * The set-up of the last `npm start` here, as the variables that the operator's command reads.
 * @param {string} folder
 * @returns {NodeJS.ProcessEnv}
 */
export function localEnvironment(folder = inRoot('.farebox')) {
  const local = readJson(path.join(folder, 'local.json'));
  const secrets = readJson(path.join(folder, 'secrets.json'));
  return {
    DATABASE_URL: local.database_url,
    FAREBOX_SIMULATED_UPSTREAM_URL: local.simulated_upstream_url,
    FAREBOX_KEY_PEPPERS: secrets.key_peppers,
    FAREBOX_ANSWER_KEYS: secrets.answer_keys,
    FAREBOX_WEBHOOK_KEYS: secrets.webhook_keys,
    FAREBOX_PUBLIC_URL: local.base_url,
  };
}

/**
 * @param {string} file
 * @returns {Record<string, string | undefined>}
 */
function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
