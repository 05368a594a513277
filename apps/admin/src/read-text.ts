import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { CommandFailure } from '@farebox/verbs';

/** The text of a file. Throws `CommandFailure`. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`The file ${file} cannot be read${codeOf(error)}.`);
  }
}

/** The text of a file that may be long, in pieces. Throws `CommandFailure`. */
export async function* readPieces(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file, 'utf8') as AsyncIterable<string>;
  const pieces = stream[Symbol.asyncIterator]();
  for (;;) {
    // Only errors of reading: the reader's own are thrown at `yield`.
    const next = await pieces.next().catch((error: unknown) => {
      throw new CommandFailure(`The file ${file} cannot be read${codeOf(error)}.`);
    });
    if (next.done === true) return;
    yield next.value;
  }
}

/** Never over a file that exists: it may be the catalogue that the next start applies. Throws `CommandFailure`. */
export async function writeNewFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    throw new CommandFailure(`The file ${file} cannot be written${codeOf(error)}: give a new one.`);
  }
}

/** The code of a failed system call in brackets, if it has one. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
}
