/** PostgreSQL array literals. One text parameter for a whole column costs less than the driver's own conversion. */

/** Of values that need no quotes: numbers, booleans and ids. Absent values become NULL. */
export function toPlainArray(values: readonly (string | number | bigint | boolean | undefined)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ',';
    text += values[i] === undefined ? 'NULL' : String(values[i]);
  }
  return `${text}}`;
}

/** Of text. Absent values become NULL, the text "NULL" does not. */
export function toTextArray(values: readonly (string | undefined)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ',';
    const value = values[i];
    text += value === undefined ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`;
  }
  return `${text}}`;
}
