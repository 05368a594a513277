import type { Ended } from './customers';

/** An operation, as customers noticed it. */
export interface Tally {
  requests: number;
  /** How often each thing that is no answer was seen. */
  failures: ReadonlyMap<string, number>;
  /** Completions and requests to the account service that were answered, but took longer than three seconds. */
  slow: number;
}

const SLOW_MS = 3_000;

export function tallyOf(ended: readonly Ended[]): Tally {
  const failures = new Map<string, number>();
  for (const { kind, outcome } of ended) {
    const failure = `${outcome} (${kind})`;
    if (outcome !== 'answered') failures.set(failure, (failures.get(failure) ?? 0) + 1);
  }
  const slow = ended.filter(
    ({ kind, outcome, tookMs }) => kind !== 'stream' && outcome === 'answered' && tookMs > SLOW_MS,
  );
  return { requests: ended.length, failures, slow: slow.length };
}

/** `3 × 503 service_unavailable (balance), 1 × cut (stream)`, or `none`. */
export function toText({ failures }: Tally): string {
  const texts = [...failures].map(([failure, count]) => `${String(count)} × ${failure}`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}
