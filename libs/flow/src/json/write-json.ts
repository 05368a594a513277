import { BYTES_AT_ONCE, BYTES_OF_TURN, Pace } from '../pace';
import { JsonWriter } from './json-writer';
import { WrittenJson } from './written-json';

/**
 * `JSON.stringify` in pieces. Entries of lists and long strings are written in their original encoding, without copying
 * their bytes. The result has the same meaning, since a literal stands for the same value wherever it is.
 */
export function writeJson(value: unknown, written: WrittenJson): Buffer[] {
  const writer = new JsonWriter(value, written);
  writer.write(Infinity);
  return writer.pieces;
}

type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * `writeJson` in turns of the event loop, if the value is long: log probabilities take megabytes. `inTurn` runs the long
 * work when its turn has come.
 */
export function writeJsonInTurns(
  value: unknown,
  written: WrittenJson,
  inTurn: InTurn = (work) => work(),
): Buffer[] | Promise<Buffer[]> {
  const writer = new JsonWriter(value, written);
  return writer.write(BYTES_AT_ONCE) ? inTurn(() => writeRest(writer)) : writer.pieces;
}

async function writeRest(writer: JsonWriter): Promise<Buffer[]> {
  const pace = new Pace();
  do await pace.giveWay();
  while (writer.write(BYTES_OF_TURN));
  return writer.pieces;
}

/**
 * `JSON.stringify` in turns of the event loop, if the value is long, and the length of the text in UTF-8. What is long is
 * recorded in `written`: it will not be written again.
 */
export async function toJsonInTurns(
  value: unknown,
  written?: WrittenJson,
): Promise<{ text: string; byteLength: number }> {
  const pace = new Pace();
  let text = '';
  let byteLength = 0;
  let sinceTurn = 0;
  const pieces = await writeJsonInTurns(value, new WrittenJson());
  for (const piece of pieces) {
    text += piece.toString();
    byteLength += piece.length;
    sinceTurn += piece.length;
    if (sinceTurn < BYTES_OF_TURN) continue;
    sinceTurn = 0;
    await pace.giveWay();
  }
  if (byteLength > BYTES_OF_TURN && typeof value === 'object' && value !== null)
    written?.addValue(value, pieces);
  return { text, byteLength };
}
