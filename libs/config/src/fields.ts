import { z } from 'zod';

// Each message completes a sentence that begins with the variable's name. None shows the value: it may be a secret.

const LARGEST_PORT = 65_535;

/** A whole number written in decimal digits. */
export function wholeNumber(limits: { min: number; max: number }) {
  const message = `must be a whole number from ${String(limits.min)} to ${String(limits.max)}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number(message).min(limits.min, message).max(limits.max, message));
}

/** A TCP port to listen on. 0 lets the system choose a free one. */
export function port() {
  return wholeNumber({ min: 0, max: LARGEST_PORT });
}

/** Something that is on or off, written `true` or `false`. */
export function flag() {
  return z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');
}

/** An address to listen on: a host name or an IP address, without a port. */
export function listenHost() {
  return z.string().regex(/^[A-Za-z0-9._:-]{1,253}$/, 'must be a host name or an IP address, without a port');
}

function urlWithScheme(schemes: readonly string[], message: string) {
  return z.string().refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol), message);
}

export function postgresUrl() {
  return urlWithScheme(
    ['postgres:', 'postgresql:'],
    'must be a URL like postgres://user:password@host:5432/database',
  );
}

export function redisUrl() {
  return urlWithScheme(['redis:', 'rediss:'], 'must be a URL like redis://host:6379');
}

const MS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(\d{1,9})(ms|s|m|h)?$/;

/** A duration in milliseconds, written as `1500`, `1500ms`, `30s`, `5m` or `1h`. */
export function durationMs(limits: { min: number; max: number }) {
  const message =
    `must be a duration like 1500ms, 30s, 5m or 1h, ` +
    `from ${String(limits.min)} ms to ${String(limits.max)} ms`;
  return z
    .string()
    .regex(DURATION, message)
    .transform((text) => {
      const [, amount, unit] = DURATION.exec(text) ?? [];
      return Number(amount) * MS_PER_UNIT[(unit ?? 'ms') as keyof typeof MS_PER_UNIT];
    })
    .pipe(z.number().min(limits.min, message).max(limits.max, message));
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The levels of the logger: the lowest one that is written. */
export function logLevel() {
  return z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`);
}
