/** Strings are skipped, so that the digits in them stay. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** `JSON.parse`, but numbers become texts as they were written: prices and amounts must not pass through a float. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(
    text.replaceAll(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}
