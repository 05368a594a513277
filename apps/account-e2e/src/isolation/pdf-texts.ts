import { inflateSync } from 'node:zlib';

/** The texts that a PDF draws, one after the other. */
export function textsOfPdf(pdf: Buffer): string {
  const texts: string[] = [];
  for (const [, stream] of pdf.toString('latin1').matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)) {
    const drawn = inflateSync(Buffer.from(stream ?? '', 'latin1')).toString('latin1');
    for (const [, hex] of drawn.matchAll(/<([0-9a-f]+)>/g))
      texts.push(Buffer.from(hex ?? '', 'hex').toString('latin1'));
  }
  return texts.join('');
}
