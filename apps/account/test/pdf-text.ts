import { inflateSync } from 'node:zlib';

// Reads PDFs as pdfkit writes them: https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf,
// sections 7.3.8 (streams), 9.4.3 (text) and 9.10.3 (ToUnicode).

/** The texts that a PDF draws, in order, as a reader copies them. */
export function readPdfText(pdf: Buffer): string {
  const objects = objectsOf(pdf);
  const fonts = new Map<string, Letters | undefined>();
  for (const text of objects.values())
    for (const [, name = '', id = ''] of text.matchAll(/\/(F\d+) (\d+) 0 R/g))
      fonts.set(name, lettersOf(objects, id));
  const texts: string[] = [];
  for (const object of objects.values()) {
    const drawn = contentOf(object);
    if (!drawn.includes(' Tf')) continue;
    let letters: Letters | undefined;
    for (const [, font, hex] of drawn.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9a-f]*)>/g)) {
      if (font !== undefined) letters = fonts.get(font);
      else texts.push(decode(hex ?? '', letters));
    }
  }
  return texts.join('');
}

/** The letters of the glyphs of an embedded font. The fonts of readers have none: their bytes are Latin 1. */
type Letters = readonly string[];

function objectsOf(pdf: Buffer): Map<string, string> {
  const found = pdf.toString('latin1').matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g);
  return new Map([...found].map(([, id = '', text = '']) => [id, text]));
}

function contentOf(object: string): string {
  const [, stream] = /\/FlateDecode[\s\S]*?>>\s*stream\n([\s\S]*?)\nendstream/.exec(object) ?? [];
  return stream === undefined ? '' : inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
}

function lettersOf(objects: ReadonlyMap<string, string>, fontId: string): Letters | undefined {
  const [, id] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(fontId) ?? '') ?? [];
  if (id === undefined) return undefined;
  const letters: string[] = [];
  for (const [, first = '', list = ''] of contentOf(objects.get(id) ?? '').matchAll(
    /<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g,
  ))
    for (const [i, [, hex = '']] of [...list.matchAll(/<([0-9a-f]*)>/g)].entries())
      letters[Number.parseInt(first, 16) + i] = Buffer.from(hex, 'hex').swap16().toString('utf16le');
  return letters;
}

function decode(hex: string, letters: Letters | undefined): string {
  const bytes = Buffer.from(hex, 'hex');
  if (!letters) return bytes.toString('latin1');
  return Array.from(
    { length: bytes.length / 2 },
    (_, i) => letters[bytes.readUInt16BE(2 * i)] ?? '\ufffd',
  ).join('');
}
