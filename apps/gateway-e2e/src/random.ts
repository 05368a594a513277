import { createHash } from 'node:crypto';

/** Choices that depend only on a seed. */
export interface Random {
  /** A whole number from `least` to `most`, inclusive. */
  between(least: number, most: number): number;
  /** True in this share of the calls. */
  chance(share: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** mulberry32 over the first bytes of the seed's SHA-256. */
export function createRandom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number =>
    least + Math.floor(fraction() * (most - least + 1));
  return {
    between,
    chance: (share) => fraction() < share,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
    shuffle(items) {
      const left = [...items];
      return items
        .map(() => left.splice(between(0, left.length - 1), 1)[0])
        .filter((item) => item !== undefined);
    },
  };
}
