/** Headers of a response, as undici gives them. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Statuses with which a server asks for a pause: too many requests, or overload. */
const ASKS_FOR_REST = new Set([429, 503, 529]);

/** Upper limit for any header: one response must not keep an upstream closed for hours. */
const LONGEST_REST_MS = 60_000;

/**
 * How long a server that returned `status` asks to be left alone, if it says so. `retry-after-ms` comes
 * before `Retry-After` (seconds, or a date by the server's clock), and both come before the counters of
 * OpenAI and others.
 */
export function readRetryAfterMs(
  status: number,
  headers: Headers,
  nowMs: () => number = Date.now,
): number | undefined {
  if (!ASKS_FOR_REST.has(status)) return undefined;
  const serverMs = asHttpDateMs(headers['date']) ?? nowMs();
  const waitMs =
    asNumber(headers['retry-after-ms']) ??
    asSecondsMs(headers['retry-after']) ??
    untilMs(asHttpDateMs(headers['retry-after']), serverMs) ??
    exhaustedMs(headers) ??
    resetMs(headers['x-ratelimit-reset'], serverMs);
  return waitMs === undefined ? undefined : Math.min(Math.max(0, waitMs), LONGEST_REST_MS);
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'string' && /^\s*\d{1,15}(?:\.\d{1,9})?\s*$/.test(value)
    ? Number(value)
    : undefined;
}

function asSecondsMs(value: unknown): number | undefined {
  const seconds = asNumber(value);
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** `Date.parse` alone finds a date in nearly any text with a number. */
const HTTP_DATE = /^\s*[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT\s*$/;

function asHttpDateMs(value: unknown): number | undefined {
  if (typeof value !== 'string' || !HTTP_DATE.test(value)) return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function untilMs(atMs: number | undefined, nowMs: number): number | undefined {
  return atMs === undefined ? undefined : atMs - nowMs;
}

/**
 * OpenAI counts requests and tokens separately and always reports both: the wait is that of the exhausted
 * ones.
 */
function exhaustedMs(headers: Headers): number | undefined {
  const waitsMs = ['requests', 'tokens']
    .filter((counted) => asNumber(headers[`x-ratelimit-remaining-${counted}`]) === 0)
    .map((counted) => asDurationMs(headers[`x-ratelimit-reset-${counted}`]))
    .filter((waitMs) => waitMs !== undefined);
  return waitsMs.length === 0 ? undefined : Math.max(...waitsMs);
}

const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Reads a Go duration (`6m0s`, `20ms`), or seconds. */
function asDurationMs(value: unknown): number | undefined {
  const seconds = asSecondsMs(value);
  if (seconds !== undefined || typeof value !== 'string') return seconds;
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s))+$/.test(value)) return undefined;
  let sumMs = 0;
  for (const [, count, unit] of value.matchAll(/([\d.]+)(h|ms|m|s)/g))
    sumMs += Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  return sumMs;
}

/** Servers disagree: seconds from now, or a Unix time in seconds or milliseconds. */
function resetMs(value: unknown, nowMs: number): number | undefined {
  const reset = asNumber(value);
  if (reset === undefined) return undefined;
  if (reset >= 1e12) return reset - nowMs;
  return reset >= 1e9 ? reset * 1_000 - nowMs : reset * 1_000;
}

/**
 * Tracks which accounts must leave a model alone, and until when. The requests of one account may be the
 * cause, so only that account waits. If several accounts were asked to wait, or a probe was, all wait.
 */
export class Rests {
  readonly #witnesses: number;
  readonly #untilMsOf = new Map<string, number>();
  #untilMsOfAll = 0;

  /** `witnesses`: this many accounts make all wait. */
  constructor(witnesses: number) {
    this.#witnesses = witnesses;
  }

  /** `accountId`: the account that was asked to wait; undefined for a probe. */
  note(accountId: string | undefined, restMs: number, nowMs: number): void {
    const until = nowMs + restMs;
    if (accountId === undefined) {
      this.#untilMsOfAll = Math.max(this.#untilMsOfAll, until);
      return;
    }
    for (const [id, endMs] of this.#untilMsOf) if (endMs <= nowMs) this.#untilMsOf.delete(id);
    if (restMs <= 0) return;
    this.#untilMsOf.set(accountId, Math.max(this.#untilMsOf.get(accountId) ?? 0, until));
    const latestFirst = [...this.#untilMsOf.values()].sort((a, b) => b - a);
    this.#untilMsOfAll = Math.max(this.#untilMsOfAll, latestFirst[this.#witnesses - 1] ?? 0);
  }

  /** Milliseconds that this account must wait; 0 if it may ask now. */
  waitMs(accountId: string, nowMs: number): number {
    return Math.max(this.waitMsOfAll(nowMs), (this.#untilMsOf.get(accountId) ?? 0) - nowMs);
  }

  waitMsOfAll(nowMs: number): number {
    return Math.max(0, this.#untilMsOfAll - nowMs);
  }
}
