import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text, and the name of the font to print it in. */
interface Run {
  font: string;
  text: string;
}

/** A text in parts of one font each. */
export type ToRuns = (text: string) => Run[];

interface Slice {
  file: string;
  ranges: readonly (readonly [first: number, last: number])[];
}

const WESTERN = 'Helvetica';
/** Printable characters that Helvetica has, and line ends. */
const ONLY_WESTERN = /^[\n\x20-\x7e\xa0-\xff]*$/;
/** Opening one takes some milliseconds, during which the service does nothing else. */
const MOST_SLICES = 32;

/** Beside the bundle, by copy-fonts.mjs. */
const FOLDER = join(__dirname, 'fonts');

/**
 * The fonts of a document. A text of Western letters alone is printed in Helvetica, which every reader of PDFs
 * has; any other one in slices of Noto Sans, which `register` is given when they are first used. Letters that
 * none of them has become `?`.
 */
export function openPdfFonts(register: (name: string, bytes: Buffer) => void, folder = FOLDER): ToRuns {
  const slices = readSlices(folder);
  const used = new Set<Slice>();

  function sliceOf(letter: string): Slice | undefined {
    const codePoint = letter.codePointAt(0) ?? 0;
    const slice = slices.find(({ ranges }) => ranges.some(([a, b]) => codePoint >= a && codePoint <= b));
    if (!slice || used.has(slice)) return slice;
    if (used.size === MOST_SLICES) return undefined;
    used.add(slice);
    register(slice.file, readOnce(join(folder, slice.file)));
    return slice;
  }

  return (given) => {
    const text = given.normalize('NFC');
    if (ONLY_WESTERN.test(text)) return [{ font: WESTERN, text }];
    const runs: Run[] = [];
    for (const letter of text) {
      const last = runs.at(-1);
      const slice = letter === '\n' ? undefined : sliceOf(letter);
      const font = slice?.file ?? (letter === '\n' && last ? last.font : WESTERN);
      const shown = slice !== undefined || ONLY_WESTERN.test(letter) ? letter : '?';
      if (last?.font === font) last.text += shown;
      else runs.push({ font, text: shown });
    }
    return runs;
  };
}

const files = new Map<string, Buffer>();

function readOnce(path: string): Buffer {
  const file = files.get(path) ?? readFileSync(path);
  files.set(path, file);
  return file;
}

/** None in a checkout that is not built. */
function readSlices(folder: string): readonly Slice[] {
  const path = join(folder, 'index.json');
  return files.has(path) || existsSync(path) ? (JSON.parse(readOnce(path).toString('utf8')) as Slice[]) : [];
}
