/** The value of an option that takes a whole number above zero. Throws with one sentence where it is none. */
export function positiveOption(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`--${name} takes a whole number above zero.`);
  return value;
}
