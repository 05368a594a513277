import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

/** Runs `generate-secrets.mjs` for a folder, and returns the lines of its `.env`. Throws its error output. */
export function generateSecrets(folder: string): Record<string, string> {
  const script = join(workspaceRoot(), 'docker/generate-secrets.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return readSecrets(folder);
}

export function readSecrets(folder: string): Record<string, string> {
  const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n');
  const pairs = lines.filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(pairs.map((line) => [line.split('=')[0] ?? '', line.replace(/^\w+=/, '')]));
}
