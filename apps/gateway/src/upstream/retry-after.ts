/** Headers of a response, as undici gives them. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The statuses with which a server asks to be left alone: too many requests, or too much to do. */
const ASKS_FOR_REST = new Set([429, 503, 529]);

/** Whatever an upstream says: it must not close itself off for hours with one header. */
const LONGEST_REST_MS = 60_000;

/**
 * For how long a server that answered with `status` asks to be left alone, if it says so. `retry-after-ms` before
 * `Retry-After` (seconds, or a date by the server's own clock), and these before the counters of OpenAI and others.
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

/** `Date.parse` alone reads a date into nearly any text with a number in it. */
const HTTP_DATE = /^\s*[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT\s*$/;

function asHttpDateMs(value: unknown): number | undefined {
  if (typeof value !== 'string' || !HTTP_DATE.test(value)) return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function untilMs(atMs: number | undefined, nowMs: number): number | undefined {
  return atMs === undefined ? undefined : atMs - nowMs;
}

/** OpenAI counts requests and tokens apart, and always says both: those that are used up are what is waited for. */
function exhaustedMs(headers: Headers): number | undefined {
  const waitsMs = ['requests', 'tokens']
    .filter((counted) => asNumber(headers[`x-ratelimit-remaining-${counted}`]) === 0)
    .map((counted) => asDurationMs(headers[`x-ratelimit-reset-${counted}`]))
    .filter((waitMs) => waitMs !== undefined);
  return waitsMs.length === 0 ? undefined : Math.max(...waitsMs);
}

const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** As Go writes them (`6m0s`, `20ms`), or seconds. */
function asDurationMs(value: unknown): number | undefined {
  const seconds = asSecondsMs(value);
  if (seconds !== undefined || typeof value !== 'string') return seconds;
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s))+$/.test(value)) return undefined;
  let sumMs = 0;
  for (const [, count, unit] of value.matchAll(/([\d.]+)(h|ms|m|s)/g))
    sumMs += Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  return sumMs;
}

/** Seconds from now on, or a Unix time in seconds or milliseconds: nobody agrees. */
function resetMs(value: unknown, nowMs: number): number | undefined {
  const reset = asNumber(value);
  if (reset === undefined) return undefined;
  if (reset >= 1e12) return reset - nowMs;
  return reset >= 1e9 ? reset * 1_000 - nowMs : reset * 1_000;
}

/**
 * Who must leave a model alone until when, since it asked for that. One account's requests may be what it has had enough
 * of: so it is that account's calls that wait. If several have heard the same, or a probe has, all wait.
 */
export class Rests {
  readonly #witnesses: number;
  readonly #untilMsOf = new Map<string, number>();
  #untilMsOfAll = 0;

  /** `witnesses`: so many accounts speak for all. */
  constructor(witnesses: number) {
    this.#witnesses = witnesses;
  }

  /** `accountId`: whose call heard it; nobody's if it was a probe. */
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

  /** How long this account is to wait, in milliseconds; 0 if it may ask now. */
  waitMs(accountId: string, nowMs: number): number {
    return Math.max(this.waitMsOfAll(nowMs), (this.#untilMsOf.get(accountId) ?? 0) - nowMs);
  }

  waitMsOfAll(nowMs: number): number {
    return Math.max(0, this.#untilMsOfAll - nowMs);
  }
}
