import { fromPublicId, type IdPrefix } from '@farebox/auth';
import {
  countryCode,
  emailAddress,
  isInvoiceNumber,
  legalName,
  nameText,
  postalAddress,
  taxId,
  timeFilter,
  webhookUrl,
} from '@farebox/api';
import { fromDecimalUsd, type NanoUsd } from '@farebox/money';
import { InvalidArgumentError } from 'commander';

// Readers of command-line values. Each throws commander's InvalidArgumentError, which is a usage error.

const LARGEST_INT4 = 2_147_483_647;
const PRINTABLE = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** Parses `acct_…` to its UUID. */
export function readAccountId(text: string): string {
  return readPublicId('acct', text, 'An account id looks like acct_01jd….');
}

/** Parses `rev_…` to its UUID. */
export function readReviewId(text: string): string {
  return readPublicId('rev', text, 'A review id looks like rev_01jd….');
}

/** Parses `key_…` to its UUID. */
export function readApiKeyId(text: string): string {
  return readPublicId('key', text, 'The id of an API key looks like key_01jd….');
}

/** Parses `sess_…` to its UUID. */
export function readSessionId(text: string): string {
  return readPublicId('sess', text, 'A session id looks like sess_01jd….');
}

/** Parses `dev_…` to its UUID. */
export function readDeviceId(text: string): string {
  return readPublicId('dev', text, 'A device id looks like dev_01jd….');
}

/** Parses `op_…`, the id of a row of the audit log, to its UUID. */
export function readActionId(text: string): string {
  return readPublicId('op', text, 'The id of an action looks like op_01jd….');
}

/** Parses `mkey_…` to its UUID. */
export function readManagementKeyId(text: string): string {
  return readPublicId('mkey', text, 'The id of a management key looks like mkey_01jd….');
}

/** Parses `evt_…` to its UUID. */
export function readEventId(text: string): string {
  return readPublicId('evt', text, 'The id of an event looks like evt_01jd….');
}

/** Parses `lim_…` to its UUID. */
export function readLimitId(text: string): string {
  return readPublicId('lim', text, 'The id of a limit looks like lim_01jd….');
}

/** Parses `hook_…` to its UUID. */
export function readWebhookId(text: string): string {
  return readPublicId('hook', text, 'The id of a webhook looks like hook_01jd….');
}

/** Parses `whmsg_…`, the id of an event, to its UUID. */
export function readMessageId(text: string): string {
  return readPublicId('whmsg', text, 'The id of an event looks like whmsg_01jd….');
}

/** By the rules of the API, in its normal form. */
export function readWebhookUrl(text: string): string {
  return readBy(webhookUrl, text);
}

/** Parses `disp_…` to its UUID. */
export function readDisputeId(text: string): string {
  return readPublicId('disp', text, 'The id of a dispute looks like disp_01jd….');
}

/** Parses `vch_…`, a voucher, to its UUID. */
export function readVoucherId(text: string): string {
  return readPublicId('vch', text, 'The id of a voucher looks like vch_01jd….');
}

/** Parses `vbat_…`, vouchers that were made together, to its UUID. */
export function readVoucherBatchId(text: string): string {
  return readPublicId('vbat', text, 'The id of a batch of vouchers looks like vbat_01jd….');
}

/** The name of a cohort, as in the catalogue file. */
export function readCohort(text: string): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)) {
    throw new InvalidArgumentError('A cohort is named by 1 to 64 lower-case letters, digits or ._-');
  }
  return text;
}

/** By the rules of the API, which ignore the case of letters. */
export function readEmail(text: string): string {
  const result = emailAddress.safeParse(text);
  if (!result.success) throw new InvalidArgumentError('It is not an e-mail address.');
  return result.data;
}

/** A reference or a note: one line of text. */
export function readLine(text: string): string {
  const line = text.trim();
  if (!PRINTABLE.test(line))
    throw new InvalidArgumentError('It must have 1 to 200 characters and no control characters.');
  return line;
}

/** The name of an account or an API key, by the rules of the API. */
export function readName(text: string): string {
  return readBy(nameText, text);
}

export function readLegalName(text: string): string {
  return readBy(legalName, text);
}

/** One line of an address after those before it. */
export function readAddress(line: string, before?: string): string {
  return readBy(postalAddress, before === undefined ? line : `${before}\n${line}`);
}

export function readCountry(text: string): string {
  return readBy(countryCode, text);
}

export function readTaxId(text: string): string {
  return readBy(taxId, text);
}

function readBy(rule: typeof nameText | typeof postalAddress | typeof webhookUrl, text: string): string {
  const result = rule.safeParse(text);
  if (result.success) return result.data;
  throw new InvalidArgumentError(`It ${result.error.issues[0]?.message ?? 'is not valid'}.`);
}

/** A positive decimal amount of dollars, never through a float. */
export function readPositiveUsd(text: string): NanoUsd {
  const amountNano = readUsd(text);
  if (amountNano <= 0n) throw new InvalidArgumentError('It must be more than zero.');
  return amountNano;
}

/** A decimal amount of dollars to give (`5`) or to take (`-5`), never zero. */
export function readSignedUsd(text: string): NanoUsd {
  const amountNano = readUsd(text);
  if (amountNano === 0n) throw new InvalidArgumentError('It must not be zero.');
  return amountNano;
}

/** A daily cap in dollars. */
export function readUsdFromZero(text: string): NanoUsd {
  const capNano = readUsd(text);
  if (capNano < 0n) throw new InvalidArgumentError('It must not be negative.');
  return capNano;
}

/** A daily cap in dollars; `default` clears the account's own cap. */
export function readSpendCap(text: string): NanoUsd | 'default' {
  return text === 'default' ? text : readUsdFromZero(text);
}

/** A daily cap in requests. */
export function readRequestCount(text: string): number {
  return readWholeNumber(text, 0, LARGEST_INT4);
}

/** A daily cap in requests; `default` clears the account's own cap. */
export function readRequestCap(text: string): number | 'default' {
  return text === 'default' ? text : readRequestCount(text);
}

/** At least one, and as many as a column of PostgreSQL counts. */
export function readPositiveCount(text: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return BigInt(text);
}

/** A version of the catalogue. */
export function readVersion(text: string): number {
  return readWholeNumber(text, 1, LARGEST_INT4);
}

export function readLimit(text: string): number {
  return readWholeNumber(text, 1, 1_000);
}

/** How many things are made, or may be had. */
export function readCount(text: string): number {
  return readWholeNumber(text, 1, 1_000);
}

/** How long something is valid. */
export function readDays(text: string): number {
  return readWholeNumber(text, 1, 366);
}

function readPublicId(prefix: IdPrefix, text: string, expectation: string): string {
  const uuid = fromPublicId(prefix, text);
  if (uuid === undefined) throw new InvalidArgumentError(expectation);
  return uuid;
}

function readWholeNumber(text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new InvalidArgumentError(`It must be a whole number from ${String(min)} to ${String(max)}.`);
  }
  return value;
}

function readUsd(text: string): NanoUsd {
  try {
    return fromDecimalUsd(text);
  } catch {
    throw new InvalidArgumentError(
      'An amount in dollars looks like 1250.00: digits, a point, and at most nine decimal places.',
    );
  }
}

const DAY_MS = 86_400_000;

/**
 * A time, by the rules of the API: Unix seconds or ISO 8601; a date alone is its beginning in UTC. Also `today`,
 * `yesterday`, a number of days ago (`7d`) and a month (`2026-11`), each the beginning of that day or month.
 */
export function readTime(text: string): Date {
  const daysAgo = text === 'today' ? 0 : text === 'yesterday' ? 1 : Number(/^(\d{1,4})d$/.exec(text)?.[1]);
  if (!Number.isNaN(daysAgo)) return new Date(startOfToday().getTime() - daysAgo * DAY_MS);
  if (/^20\d{2}-\d{2}$/.test(text)) return readTime(readMonth(text));
  const result = timeFilter().safeParse(text);
  if (!result.success) {
    throw new InvalidArgumentError(
      'A time looks like today, 7d, 2026-11, 2026-11-01 or 2026-11-01T08:00:00Z.',
    );
  }
  return result.data;
}

/** `readTime` for whole days in UTC. */
export function readDay(text: string): Date {
  const day = readTime(text);
  if (day.getTime() % DAY_MS !== 0) throw new InvalidArgumentError('It must be a whole day in UTC.');
  return day;
}

/** In UTC. */
export function startOfToday(): Date {
  return new Date(new Date().setUTCHours(0, 0, 0, 0));
}

/** Parses a UTC calendar month, `2026-10`, to its first day, `2026-10-01`. */
export function readMonth(text: string): string {
  if (!/^20\d{2}-(?:0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('A month looks like 2026-10.');
  return `${text}-01`;
}

export function readInvoiceNumber(text: string): string {
  if (!isInvoiceNumber(text)) throw new InvalidArgumentError('An invoice number looks like INV-2026-000042.');
  return text;
}
