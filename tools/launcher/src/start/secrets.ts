import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const secretsSchema = z.object({ key_peppers: z.string(), answer_keys: z.string() });

/** Secrets of a local Farebox, each as a variable of the environment holds it. */
export type Secrets = z.output<typeof secretsSchema>;

/** Made up once and kept in a file that this user alone can read. One that an older file has not yet is added. */
export function provideSecrets(secretsFile: string): Secrets {
  const kept: unknown = existsSync(secretsFile) ? JSON.parse(readFileSync(secretsFile, 'utf8')) : {};
  const known = secretsSchema.partial().parse(kept);
  const secrets = {
    key_peppers: known.key_peppers ?? newSecret(),
    answer_keys: known.answer_keys ?? newSecret(),
  };
  if (Object.keys(known).length < Object.keys(secrets).length) write(secretsFile, secrets);
  return secrets;
}

/** In one step: a start that is killed here must not lose the secrets that there are. */
function write(secretsFile: string, secrets: Secrets): void {
  const newFile = `${secretsFile}.new`;
  writeFileSync(newFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(newFile, secretsFile);
}

/** The first version of a secret. */
function newSecret(): string {
  return `1:${randomBytes(32).toString('hex')}`;
}
