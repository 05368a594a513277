import { createHash } from 'node:crypto';

/** The upstream may run for days: it remembers the newest. */
const MOST_REMEMBERED = 10_000;

/** Tells the first request with a body from the second one, the third from the fourth, and so on. */
export interface SecondChances {
  isSecond(body: unknown): boolean;
}

export function createSecondChances(): SecondChances {
  const seenOnce = new Set<string>();
  return {
    isSecond(body) {
      const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64');
      if (seenOnce.delete(digest)) return true;
      const [oldest] = seenOnce;
      if (seenOnce.size >= MOST_REMEMBERED && oldest !== undefined) seenOnce.delete(oldest);
      seenOnce.add(digest);
      return false;
    },
  };
}
