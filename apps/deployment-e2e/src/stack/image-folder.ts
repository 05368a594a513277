import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import type { Instruction } from '../images/dockerfile';

const READ_ONLY_FOLDER = 0o555;

/**
 * A new folder inside `parent` with the content of the image's working folder, according to the COPY
 * instructions of its Dockerfile. It is read-only, and no node_modules above it could help a bundle.
 */
export function imageFolder(parent: string, name: string, instructions: readonly Instruction[]): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  for (const { text } of instructions.filter(({ keyword }) => keyword === 'COPY')) {
    const [source = '', target = ''] = text.replace(/^--from=build \/build\//, '').split(' ');
    copyInto(folder, source, target);
  }
  chmodSync(folder, READ_ONLY_FOLDER);
  return folder;
}

/** Like COPY: copies a folder's content, or a file, into the target folder. */
function copyInto(folder: string, source: string, target: string): void {
  const from = join(workspaceRoot(), source);
  const into = resolve(folder, target);
  mkdirSync(into, { recursive: true });
  if (!source.endsWith('/')) cpSync(from, join(into, source.split('/').at(-1) ?? ''));
  else cpSync(from, into, { recursive: true, filter: (file) => !file.endsWith('.map') });
}
