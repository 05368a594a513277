import { fromPublicId, type IdPrefix } from '@farebox/auth';
import { fromDecimalUsd, type NanoUsd } from '@farebox/money';
import { z } from 'zod';
import { isSeenWhole } from './visible-text';

/** The last second of the year 9999. */
const LATEST_SECONDS = 253_402_300_799;
const TIME_MESSAGE =
  'must be a time in whole Unix seconds or ISO 8601 with a time zone, like 1800000000 or 2027-01-15T08:00:00Z';

/** A time on the wire: whole Unix seconds. */
export const unixSeconds = z.int(TIME_MESSAGE).min(0, TIME_MESSAGE).max(LATEST_SECONDS, TIME_MESSAGE);

export function fromUnixSeconds(seconds: number): Date {
  return new Date(seconds * 1_000);
}

/** Rounded down to the second. */
export function toUnixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

/** A time in a JSON body: Unix seconds as a number, or ISO 8601 as a text. */
export function timeInBody() {
  return z.union([
    unixSeconds.transform(fromUnixSeconds),
    timeText(readIsoTime).describe('ISO 8601: a day, which begins in UTC, or a time with its zone.'),
  ]);
}

/** A time in a query: Unix seconds, or ISO 8601. */
export function timeFilter() {
  return timeText(readQueryTime).describe(
    'Unix seconds, or ISO 8601: a day, which begins in UTC, or a time with its zone, like `2026-11-01T09:00+01:00`.',
  );
}

function timeText(read: (text: string) => Date | undefined) {
  return z.string(TIME_MESSAGE).transform((text, context): Date => {
    const time = read(text);
    if (time !== undefined) return time;
    context.addIssue({ code: 'custom', message: TIME_MESSAGE });
    return z.NEVER;
  });
}

function readQueryTime(text: string): Date | undefined {
  if (/^\d{1,12}$/.test(text)) {
    const seconds = unixSeconds.safeParse(Number(text));
    return seconds.success ? fromUnixSeconds(seconds.data) : undefined;
  }
  // In a query a plus sign that is not encoded arrives as a space.
  return readIsoTime(text.replace(/ (?=\d\d:?\d\d$)/, '+'));
}

const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d(?:\.\d{1,9})?))?(?:(Z)|([+-]\d\d):?(\d\d)))?$/;

/** ISO 8601 with its time zone, in the extended form with or without seconds; a day alone is its beginning in UTC. */
function readIsoTime(text: string): Date | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [, day = '', minute = '00:00', second = '00', , hours, minutes = ''] = match;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  // It remains to check whether such a day and time exist.
  const exact = z.iso.datetime({ offset: true }).safeParse(`${day}T${minute}:${second}${zone}`);
  const time = exact.success ? new Date(exact.data) : undefined;
  return time !== undefined && unixSeconds.safeParse(toUnixSeconds(time)).success ? time : undefined;
}

/** Query parameters of lists by time: from `start` on, until before `end`. */
export const timeRangeParameters = { start: timeFilter().optional(), end: timeFilter().optional() };

/** For `.refine`: an end comes after its start. */
export const endAfterStart: [
  isSo: (range: { start?: Date | undefined; end?: Date | undefined }) => boolean,
  issue: { path: string[]; message: string },
] = [
  ({ start, end }) => start === undefined || end === undefined || start.getTime() < end.getTime(),
  { path: ['end'], message: 'must be later than start' },
];

/** Query parameter of operations whose response has several formats. */
export function formatParameter<const Formats extends readonly [string, ...string[]]>(formats: Formats) {
  return {
    format: z
      .enum(formats, `must be one of ${formats.join(', ')}`)
      .optional()
      .describe('The form of the response. It wins over `Accept`, so that a link is enough.'),
  };
}

/** Fields of a refused or failed request, beside `error_code`. */
export const toldError = {
  error_message: z
    .string()
    .nullable()
    .describe('The message of that error, for people. It may be cut, and is null if it was not kept.'),
  error_param: z.string().nullable().describe('The field that it named, if any.'),
};

/** Beside the id of an API key. */
export const keyName = z.string().nullable().describe('The name that this key has now; null without a key.');

/** Money on the wire: dollars with nine decimal places, `"0.000010500"`. */
export const usdAmount = z
  .string()
  .regex(/^-?\d{1,10}\.\d{9}$/)
  .describe('US dollars, with nine decimal places.');

/** An amount of a document in cents. */
export const roundedUsd = z
  .string()
  .regex(/^-?\d{1,10}\.\d{2}$/)
  .describe('The same in whole cents, rounded half up. A negative amount is rounded like the positive one.');

/** The currency of every amount. */
export const currency = z.literal('usd');

const AMOUNT_MESSAGE =
  'must be an amount in dollars above zero, written as a string with at most nine decimal places, like "5.00"';

/** The OpenAPI document's description of an amount; parsing is stricter, and has better messages. */
const WIRE_FORM = {
  pattern: '^\\d{1,10}(\\.\\d{1,9})?$',
  description: 'Dollars above zero, with at most nine decimal places.',
};

/** An amount above zero from a client, parsed into nano-dollars. A JSON number is refused: it may be rounded. */
export function positiveUsdAmount() {
  return z
    .string(AMOUNT_MESSAGE)
    .meta(WIRE_FORM)
    .transform((text, context): NanoUsd => {
      const amountNano = readAmount(text);
      if (amountNano !== undefined && amountNano > 0n) return amountNano;
      context.addIssue({ code: 'custom', message: AMOUNT_MESSAGE });
      return z.NEVER;
    });
}

function readAmount(text: string): NanoUsd | undefined {
  try {
    return fromDecimalUsd(text);
  } catch {
    return undefined;
  }
}

/** A text for people, from a client. White space around it is removed. Lengths are in UTF-16 units. */
export function oneLineText(maxLength: number) {
  const message = `must be a text of 1 to ${String(maxLength)} characters without control characters and invisible ones`;
  return z.string(message).trim().min(1, message).max(maxLength, message).refine(isSeenWhole, message);
}

/** The name of an account, an API key or a device. */
export const nameText = oneLineText(100);

/**
 * The limits of a chat completion request. They follow OpenAI's API reference if it names a limit; the others exclude
 * input that no client means.
 */
export const CHAT_REQUEST_LIMITS = {
  modelLength: 256,
  messages: 4_096,
  partsOfMessage: 1_024,
  /** `name` of a message, and of a function, a tool and a response's schema. */
  nameLength: 64,
  fileNameLength: 255,
  imageAddressLength: 16_384,
  toolCallsOfMessage: 128,
  /** Some servers put the signature of a thought in it. It is shortened on its way to another server. */
  toolCallIdLength: 65_536,
  tools: 128,
  choices: 128,
  stopSequences: 4,
  logitBiases: 1_024,
  topLogprobs: 20,
  metadataEntries: 16,
  metadataKeyLength: 64,
  metadataValueLength: 512,
  /** `user`, `prompt_cache_key`, `safety_identifier` and `service_tier`. */
  labelLength: 512,
} as const;

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const LIMIT_MESSAGE = `must be a whole number from 1 to ${String(MAX_LIMIT)}`;

/** The maximum number of records of a page. `x-wire`: its wire format, for the OpenAPI document. */
export const pageLimit = z
  .string(LIMIT_MESSAGE)
  .regex(/^[1-9]\d{0,2}$/, LIMIT_MESSAGE)
  .transform(Number)
  .pipe(z.number().max(MAX_LIMIT, LIMIT_MESSAGE))
  .default(DEFAULT_LIMIT)
  .meta({
    'x-wire': { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    description: 'How many records the page has at most.',
  });

/** Query parameters of every list. `after` is the id of the last record of the page before, parsed into its UUID. */
export function pageParameters(prefix: IdPrefix) {
  return {
    limit: pageLimit,
    after: z
      .string(cursorMessage(prefix))
      .transform((text, context): string => {
        const uuid = fromPublicId(prefix, text);
        if (uuid !== undefined) return uuid;
        context.addIssue({ code: 'custom', message: cursorMessage(prefix) });
        return z.NEVER;
      })
      .optional()
      .describe('The id of the last record of the page before.'),
  };
}

function cursorMessage(prefix: IdPrefix): string {
  return `must be the id of a record of this list, like ${prefix}_…`;
}

/** The most lines of a CSV without `limit`. More are refused: nobody may take a part for the whole. */
export const MOST_CSV_LINES = 100_000;

const mostLines = MOST_CSV_LINES.toLocaleString('en-US');
export const WHOLE_CSV = `everything in the range, at most ${mostLines} lines. If there may be more, it is an error.`;

/** One page of a list, newest first. */
export interface ListPage<Record> {
  object: 'list';
  data: Record[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

export function listPage<Schema extends z.ZodType>(record: Schema) {
  return z.strictObject({
    object: z.literal('list'),
    data: z.array(record),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });
}

/** A page of records that were read with one more than `limit`: `has_more` tells whether that one exists. */
export function toListPage<Record>(
  records: readonly Record[],
  limit: number,
  idOf: (record: Record) => string,
): ListPage<Record> {
  const data = records.slice(0, limit);
  const [first] = data;
  const last = data.at(-1);
  return {
    object: 'list',
    data,
    first_id: first === undefined ? null : idOf(first),
    last_id: last === undefined ? null : idOf(last),
    has_more: records.length > limit,
  };
}
