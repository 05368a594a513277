import { isIP } from 'node:net';
import { fromDecimalUsd, NANO_PER_CENT, type NanoUsd } from '@farebox/money';
import { z } from 'zod';
import { readSentinelUrl } from './redis-url';

// Each message completes a sentence that begins with the variable's name. None contains the value, which may
// be a secret.

const LARGEST_PORT = 65_535;

/** A whole number in decimal digits. */
export function wholeNumber(limits: { min: number; max: number }) {
  const message = `must be a whole number from ${String(limits.min)} to ${String(limits.max)}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number(message).min(limits.min, message).max(limits.max, message));
}

const BYTES_OF_MIB = 1_048_576;

/** A memory size, written in MiB, read as bytes. */
export function mebibytes(byDefault: number) {
  return wholeNumber({ min: 16, max: 65_536 })
    .transform((mebibytes) => mebibytes * BYTES_OF_MIB)
    .prefault(String(byDefault));
}

/** A TCP port to listen on. 0 lets the system choose a free one. */
export function port() {
  return wholeNumber({ min: 0, max: LARGEST_PORT });
}

/** A switch, written `true` or `false`. */
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

const REDIS_URL = 'must be a URL like redis://host:6379, or redis+sentinel://host:26379,host:26379/primary';

export function redisUrl() {
  const ofServer = urlWithScheme(['redis:', 'rediss:'], REDIS_URL);
  return z
    .string()
    .refine((text) => ofServer.safeParse(text).success || readSentinelUrl(text) !== undefined, REDIS_URL);
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

/** The logger's levels: the lowest one that is written. */
export function logLevel() {
  return oneOf(['debug', 'info', 'warn', 'error', 'silent']);
}

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}

/** URL of a Farebox service in the same network. */
export function httpUrl() {
  return z
    .string()
    .refine(
      (text) => URL.canParse(text) && new URL(text).protocol === 'http:',
      'must be a URL like http://127.0.0.1:8081',
    );
}

/** URLs separated by commas. */
export function httpUrls() {
  return z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(httpUrl()).min(1));
}

/** URL of a third party, such as `example`. */
export function otherUrl(example: string) {
  return z.url({ protocol: /^https?$/, error: `must be a URL like ${example}` });
}

const ISSUER = 'must be a URL like https://login.example.com, or http on this machine';

/** The service that signs people in. Without TLS, anybody on the network could be anybody. */
export function issuerUrl() {
  return z.string().refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, origin } = new URL(text);
    return protocol === 'https:' || (protocol === 'http:' && isLoopback(origin));
  }, ISSUER);
}

const LOGIN_URL = 'must be a URL like postgres://user:password@host:5432/database, with user and password';

/** The DATABASE_URL of a service, which names the login to create. */
export function loginUrl() {
  return z.string().refine((text) => {
    if (!postgresUrl().safeParse(text).success) return false;
    const { username, password } = new URL(text);
    return username !== '' && password !== '';
  }, LOGIN_URL);
}

const PROXIES =
  'must be addresses or networks like 127.0.0.1 or 10.0.0.0/8, with commas or spaces between them';

/** Proxies whose `X-Forwarded-For` is trusted. */
export function trustedProxies() {
  return z.string().transform((text, context): string[] => {
    const proxies = text.trim().split(/\s*,\s*|\s+/);
    if (proxies.every(isNetwork)) return proxies;
    context.addIssue({ code: 'custom', message: PROXIES });
    return z.NEVER;
  });
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  // A network that includes everybody would let each client choose its own address.
  return (
    prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  );
}

/** The default address of `npm start`. */
export const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:8080';

const PUBLIC_URL =
  'must be a base URL like https://farebox.example, without a path; http is taken for this machine alone';

/**
 * The public origin of the service: scheme, host and port. Sign-in links lead there, so it must be https;
 * http is allowed for development on the machine itself.
 */
export function publicUrl() {
  return z.string().transform((text, context): string => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isOrigin = url?.href === `${url?.origin ?? ''}/` && url.username === '';
    if (url && isOrigin && (url.protocol === 'https:' || isLoopback(url.origin))) return url.origin;
    context.addIssue({ code: 'custom', message: PUBLIC_URL });
    return z.NEVER;
  });
}

/** Origins of web pages that may call the service, separated by commas. No patterns. */
export function webOrigins() {
  return z.string().transform((text, context): string[] => {
    const origins = text.split(',').map((part) => publicUrl().safeParse(part.trim()));
    const read = origins.flatMap(({ data }) => data ?? []);
    if (read.length === origins.length) return read;
    context.addIssue({
      code: 'custom',
      message: 'must be origins like https://console.example.com, without a path, with commas between them',
    });
    return z.NEVER;
  });
}

/** Whether an origin is plain http on the machine itself, where nobody else can read the traffic. */
export function isLoopback(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,189}$/;
const NAME_AND_ADDRESS = /^([^<>\p{Cc}]{0,100})<([^<>]*)>$/u;

/** The address of a mail server, `smtps://user:password@host` or `smtp://host:587`. */
export function mailUrl() {
  return z.string().refine((text) => isMailUrl(text), 'must be a URL like smtps://user:password@host:465');
}

/** Sender of mails: `Farebox <farebox@example.com>`, or only the address. */
export function mailFrom() {
  return z.string().transform((text, context): { name: string; address: string } => {
    const [, name = '', address = text] = NAME_AND_ADDRESS.exec(text) ?? [];
    if (ADDRESS.test(address)) return { name: name.trim(), address };
    context.addIssue({
      code: 'custom',
      message: 'must be an address, or like Farebox <farebox@example.com>',
    });
    return z.NEVER;
  });
}

function isMailUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' && isDecodable(username + password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Stripe's minimum and maximum charge. */
const [LEAST, MOST] = [fromDecimalUsd('0.50'), fromDecimalUsd('999999.99')];
const AMOUNT_MESSAGE = 'must be an amount in dollars and whole cents from 0.50 to 999999.99, like 25.00';

/** Amount of one card payment: dollars in whole cents. */
export function topUpAmount(byDefault: string) {
  return z
    .string()
    .default(byDefault)
    .transform((text, context): NanoUsd => {
      const amountNano = /^\d{1,6}(\.\d{1,2})?$/.test(text) ? fromDecimalUsd(text) : undefined;
      if (
        amountNano !== undefined &&
        amountNano >= LEAST &&
        amountNano <= MOST &&
        amountNano % NANO_PER_CENT === 0n
      ) {
        return amountNano;
      }
      context.addIssue({ code: 'custom', message: AMOUNT_MESSAGE });
      return z.NEVER;
    });
}

/** 32 bytes: the private key of Ed25519. */
export function signingKey() {
  return z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
    .transform((text) => Buffer.from(text, 'hex'));
}

/** A Stripe secret, whose prefix tells its kind. */
export function stripeSecret(prefixes: readonly string[]) {
  return z
    .string()
    .refine(
      (text) => prefixes.some((prefix) => text.startsWith(prefix)) && /^[\x21-\x7e]{1,500}$/.test(text),
      `must be a secret of Stripe's that begins with ${prefixes.join(' or ')}`,
    );
}

/** The deployed apps, in the order of the manual. */
export const APPS = ['gateway', 'account', 'worker', 'operator', 'admin', 'edge', 'migration'] as const;
export type App = (typeof APPS)[number];

/** A variable: its meaning for an operator, in Markdown, and its schema for each app that reads it. */
export type Variable = Readonly<{ meaning: string } & Partial<Record<App, z.ZodType>>>;

/** One schema for several apps. */
export function readBy<const Readers extends readonly App[], Schema extends z.ZodType>(
  readers: Readers,
  schema: Schema,
): Readonly<Record<Readers[number], Schema>> {
  return Object.fromEntries(readers.map((reader) => [reader, schema])) as Record<Readers[number], Schema>;
}
