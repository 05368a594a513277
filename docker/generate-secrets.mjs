// Generates the secrets of the compose file, once: docker/.env, which only its owner can read.
//
//   npm run docker:secrets
//   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD/docker:/docker" \
//     node:24.21.0-bookworm-slim node /docker/generate-secrets.mjs         (without Node on this machine)
//
// Existing secrets stay as they are, so that this is safe to run again; missing ones are added.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Hexadecimal: no character has a meaning in a URL, a shell or Compose. */
const password = () => randomBytes(24).toString('hex');
/** Version 1 of a secret that is rotated by adding a version: see docs/operate/operating.md. */
const versionedKey = () => `1:${randomBytes(32).toString('hex')}`;

/** A private key of Ed25519. */
const signingKey = () => randomBytes(32).toString('hex');

const SECRETS = {
  FAREBOX_OWNER_DB_PASSWORD: password,
  FAREBOX_GATEWAY_DB_PASSWORD: password,
  FAREBOX_ACCOUNT_DB_PASSWORD: password,
  FAREBOX_WORKER_DB_PASSWORD: password,
  FAREBOX_OPERATOR_DB_PASSWORD: password,
  FAREBOX_REDIS_PASSWORD: password,
  FAREBOX_KEY_PEPPERS: versionedKey,
  FAREBOX_ANSWER_KEYS: versionedKey,
  FAREBOX_WEBHOOK_KEYS: versionedKey,
  FAREBOX_ROOT_SIGNING_KEY: signingKey,
};

const HEADER = `# Secrets of this deployment, made by generate-secrets.mjs. FAREBOX_KEY_PEPPERS, FAREBOX_ANSWER_KEYS and
# FAREBOX_WEBHOOK_KEYS are in no backup of the database: keep a copy elsewhere. Without the peppers, no API key works any
# more.
`;

const file = join(process.argv[2] ?? import.meta.dirname, '.env');
const kept = existsSync(file) ? readFileSync(file, 'utf8') : HEADER;
const missing = Object.keys(SECRETS).filter((name) => !new RegExp(`^${name}=.`, 'm').test(kept));

if (missing.length === 0) {
  chmodSync(file, 0o600);
  console.log(`${file} has every secret: nothing was changed.`);
} else {
  const added = missing.map((name) => `${name}=${SECRETS[name]()}\n`).join('');
  // Atomic: an interruption here loses no existing secret.
  const incoming = `${file}.${process.pid}.new`;
  writeFileSync(incoming, kept.replace(/\n?$/, '\n') + added, { mode: 0o600, flag: 'wx' });
  renameSync(incoming, file);
  console.log(
    `${file}: made ${missing.join(', ')}. Keep a copy of them apart from the backups of the database.`,
  );
}
