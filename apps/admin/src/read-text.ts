import { readFile } from 'node:fs/promises';
import { CommandFailure } from '@farebox/verbs';

/** The text of a file. Throws `CommandFailure`. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code =
      typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
    throw new CommandFailure(`The file ${file} cannot be read${code}.`);
  }
}
