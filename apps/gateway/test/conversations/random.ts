/** Random numbers from a seed: mulberry32. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const below = (random: Random, most: number): number => Math.floor(random() * most);
export const oneOf = <Value>(random: Random, values: readonly Value[]): Value =>
  values[below(random, values.length)] as Value;
export const happens = (random: Random, share: number): boolean => random() < share;

const TEXTS = ['Rome', 'So it is.', ' ', '\n', 'a "b" \\ c', '北京 😀', 'e\u0301', '</tool_call>', '{"a":1}'];
export const textFrom = (random: Random): string =>
  Array.from({ length: 1 + below(random, 3) }, () => oneOf(random, TEXTS)).join('');
