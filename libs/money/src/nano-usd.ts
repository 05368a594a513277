declare const nanoUsd: unique symbol;
declare const picoUsd: unique symbol;

/**
 * An amount of money in whole nano-dollars (10⁻⁹ USD), the unit of storage, of the ledger and of every
 * charge.
 */
export type NanoUsd = bigint & { readonly [nanoUsd]: true };

/** A price in whole pico-dollars (10⁻¹² USD) per token. */
export type PicoUsd = bigint & { readonly [picoUsd]: true };

const NANO_PER_USD = 1_000_000_000n;
export const NANO_PER_CENT = 10_000_000n;
const PICO_PER_NANO = 1_000n;
/** One dollar per million tokens is 10⁻⁶ dollars per token: 10⁶ pico-dollars. */
const PICO_PER_TOKEN_OF_USD_PER_MILLION = 1_000_000n;

/** Largest amount that PostgreSQL's `bigint` holds. */
const MAX_INT8 = 9_223_372_036_854_775_807n;

export const ZERO_NANO = 0n as NanoUsd;

/** Brands a `bigint` from storage or arithmetic as nano-dollars. Throws `RangeError` outside of int8. */
export function toNanoUsd(value: bigint): NanoUsd {
  if (value > MAX_INT8 || value < -MAX_INT8) throw new RangeError('amount does not fit in 64 bits');
  return value as NanoUsd;
}

/** A database record with these amounts as text, since a driver may read `bigint` as something else. */
export type AmountsAsText<Row, Amount extends keyof Row> = Omit<Row, Amount> & Record<Amount, string>;

/** Brands a price from storage. Throws `RangeError` if it is negative. */
export function toPicoUsd(value: bigint): PicoUsd {
  if (value < 0n) throw new RangeError('a price is never negative');
  return value as PicoUsd;
}

const DECIMAL = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/;

/**
 * Reads a decimal string of dollars: `"25"`, `"25.00"` or `"0.000010500"`. Throws `RangeError` for anything
 * else, including a tenth decimal place: money is never rounded on input.
 */
export function fromDecimalUsd(text: string): NanoUsd {
  const match = DECIMAL.exec(text);
  if (!match) throw new RangeError(`not an amount of dollars with at most nine decimal places: ${text}`);
  const [, sign, whole = '0', fraction = ''] = match;
  const magnitude = BigInt(whole) * NANO_PER_USD + BigInt(fraction.padEnd(9, '0'));
  return toNanoUsd(sign === '-' ? -magnitude : magnitude);
}

/** Writes an amount as dollars with nine decimal places, the wire format: `"0.000010500"`. */
export function toDecimalUsd(amountNano: NanoUsd): string {
  const amount: bigint = amountNano;
  const magnitude = amount < 0n ? -amount : amount;
  const digits = magnitude.toString().padStart(10, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/**
 * Writes an amount in whole cents, rounded half up, for documents: `"12.35"`. The sign does not matter, so that an
 * amount and its opposite stay opposites. Call it once, for a total.
 */
export function toCentsUsd(amountNano: NanoUsd): string {
  const amount: bigint = amountNano;
  const magnitude = amount < 0n ? -amount : amount;
  const cents = (magnitude + NANO_PER_CENT / 2n) / NANO_PER_CENT;
  const digits = cents.toString().padStart(3, '0');
  return `${amount < 0n && cents > 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Whole cents, as Stripe takes them; any rest is dropped. Any payment in cents is exact as a number. */
export function toWholeCents(amountNano: NanoUsd): number {
  return Number(amountNano / NANO_PER_CENT);
}

const PRICE = /^(\d{1,6})(?:\.(\d{1,6}))?$/;

/**
 * Reads a price in dollars per million tokens, `"0.15"`, as pico-dollars per token. Six decimal places are exact.
 * Throws `RangeError` for anything else.
 */
export function fromUsdPerMillionTokens(text: string): PicoUsd {
  const match = PRICE.exec(text);
  if (!match)
    throw new RangeError(
      `not a price in dollars per million tokens with at most six decimal places: ${text}`,
    );
  const [, whole = '0', fraction = ''] = match;
  return toPicoUsd(BigInt(whole) * PICO_PER_TOKEN_OF_USD_PER_MILLION + BigInt(fraction.padEnd(6, '0')));
}

/** Writes a price as dollars per million tokens, without trailing zeros: `"0.15"`. */
export function toUsdPerMillionTokens(price: PicoUsd): string {
  const digits = price.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
}

/** The price of this many tokens in pico-dollars, not yet rounded. */
export function priceOfTokens(tokens: number, price: PicoUsd): bigint {
  return BigInt(tokens) * price;
}

/** Rounds a sum of pico-dollars up to whole nano-dollars. Call it once, at the end of a calculation. */
export function roundUpToNano(totalPico: bigint): NanoUsd {
  return toNanoUsd((totalPico + PICO_PER_NANO - 1n) / PICO_PER_NANO);
}
