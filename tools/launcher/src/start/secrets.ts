import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

const secretsSchema = z.object({ key_peppers: z.string() });

/** Secrets of a local Farebox, made up once and kept in a file that this user alone can read. */
export function provideKeyPeppers(secretsFile: string): string {
  if (!existsSync(secretsFile)) {
    const secrets = { key_peppers: `1:${randomBytes(32).toString('hex')}` };
    writeFileSync(secretsFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  }
  return secretsSchema.parse(JSON.parse(readFileSync(secretsFile, 'utf8'))).key_peppers;
}
