import { piecesOf } from './pieces';

const joined = (pieces: string[][]): string => pieces.flat().join('');
const lengthOf = (piece: string[]): number => joined([piece]).length;

describe('the pieces of texts', () => {
  it('contain the whole text, and none is longer than is counted in one go', () => {
    const texts = ['a'.repeat(50_000), '', ' b'.repeat(20_000), 'c'];
    const pieces = piecesOf(texts);
    expect(joined(pieces)).toBe(texts.join(''));
    expect(Math.max(...pieces.map(lengthOf))).toBeLessThanOrEqual(16_384);
  });

  it('are cut in front of a space if there is one', () => {
    const pieces = piecesOf([' word'.repeat(10_000)]);
    expect(pieces.flat().every((text) => text.startsWith(' word') && text.endsWith('word'))).toBe(true);
  });

  it('never split the halves of a character', () => {
    const pieces = piecesOf(['x', '🦊'.repeat(20_000)]);
    expect(pieces.flat().every((text) => text.isWellFormed())).toBe(true);
    const [[beforeLone] = []] = piecesOf([`${'x'.repeat(16_382)}🦊\udd8a${'x'.repeat(9)}`]);
    expect(beforeLone?.isWellFormed()).toBe(true);
  });

  it('have few texts each', () => {
    const pieces = piecesOf(Array.from({ length: 5_000 }, () => 'hi'));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(256);
  });
});
