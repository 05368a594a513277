import { splitsCharacter } from '@farebox/flow';

/** The worst text of this length, CJK without a break, takes 50 ms to count; prose takes 1 ms. */
const LENGTH = 16_384;
/** A message to a thread is cloned text by text. */
const TEXTS = 256;
/** How far back to look for a space to cut at. */
const SEARCHED = 1_024;

/** Cuts texts into pieces. Each is counted in one go before somebody else has their turn. */
export function piecesOf(texts: readonly string[]): string[][] {
  const pieces: string[][] = [];
  let piece: string[] = [];
  let length = 0;
  const close = (): void => {
    if (piece.length > 0) pieces.push(piece);
    piece = [];
    length = 0;
  };
  for (const text of texts) {
    for (let start = 0; start < text.length;) {
      const end = endOfPiece(text, start, LENGTH - length);
      if (end > start) {
        piece.push(text.slice(start, end));
        length += end - start;
        start = end;
      }
      if (start < text.length || length >= LENGTH || piece.length >= TEXTS) close();
    }
  }
  close();
  return pieces;
}

/** Cuts in front of a space near the end, where a tokenizer cuts itself. */
function endOfPiece(text: string, start: number, room: number): number {
  const end = start + room;
  if (end >= text.length) return text.length;
  const from = Math.max(start, end - SEARCHED);
  const space = from + text.slice(from, end + 1).lastIndexOf(' ');
  if (space > start && space >= from && text[space - 1] !== ' ') return space;
  return splitsCharacter(text, end) ? end - 1 : end;
}
