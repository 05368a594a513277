// Copies the fonts of PDFs into a folder, with an index of the letters that each file has, in the order in which they
// are looked up: copy-fonts.mjs dist/account/fonts. A font comes in slices, since a document needs few of its letters.
// As WOFF, because pdfkit cannot embed a part of WOFF 2.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const FONTS = ['noto-sans', 'noto-sans-sc', 'noto-sans-kr'];
const require = createRequire(import.meta.url);
/** Its letters are drawn in another order than they are read, which a copied text would show. */
const LEFT_OUT = ['devanagari'];
/** The reader of fonts that pdfkit uses: what it cannot read cannot be printed. */
const fontkit = createRequire(require.resolve('pdfkit'))('fontkit');
const [to = ''] = process.argv.slice(2);

rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
const index = FONTS.flatMap((font) => {
  const from = path.dirname(require.resolve(`@fontsource/${font}/package.json`));
  cpSync(path.join(from, 'LICENSE'), path.join(to, `${font}-LICENSE`));
  return slicesOf(from).flatMap((slice) => {
    const file = `${font}-${slice}-400-normal.woff`;
    const ranges = rangesOf(readFileSync(path.join(from, 'files', file)));
    if (ranges.length === 0) return [];
    cpSync(path.join(from, 'files', file), path.join(to, file));
    return { file, ranges };
  });
});
writeFileSync(path.join(to, 'index.json'), JSON.stringify(index));

/**
 * The names of the slices: `latin`, `5`.
 * @param {string} from
 */
function slicesOf(from) {
  const ranges = JSON.parse(readFileSync(path.join(from, 'unicode.json'), 'utf8'));
  return Object.keys(ranges)
    .filter((name) => !LEFT_OUT.includes(name))
    .map((name) => name.replaceAll(/[[\]]/g, ''));
}

/**
 * The code points that a font has letters for, from and to: fewer than its style sheet asks it for.
 * @param {Buffer} file
 */
function rangesOf(file) {
  const font = fontkit.create(file);
  /** @type {number[]} */
  const codePoints = font.cmap?.tables ? font.characterSet : [];
  /** @type {[number, number][]} */
  const ranges = [];
  for (const codePoint of codePoints.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] === codePoint - 1) last[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges;
}
