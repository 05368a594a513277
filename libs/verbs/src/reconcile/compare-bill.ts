import { costOf, type Price } from '@farebox/catalog';
import type { RouteDay } from '@farebox/ledger';
import { toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';
import type { BilledCounts } from './billed';

/** A difference between the bill of a provider and the requests that were sold. */
export const DIFFERENCE_KINDS = {
  failed_calls: 'failed calls: they were billed, and customers got an error',
  abandonment: 'abandonment: their clients left, and the upstream went on',
  price_drift: 'price drift: the same tokens at another price than the cost in the catalogue',
  cached_tokens: 'cached tokens: another number was read from or written to the cache',
  token_counts: 'token counts: as many calls with other tokens',
  unknown_to_farebox: 'calls that are not recorded here: of another program, or repeated at another route',
  unknown_to_provider: 'calls that are not on the bill',
  cost: 'cost: the bill differs, and it has no tokens to compare',
} as const;
export type DifferenceKind = keyof typeof DIFFERENCE_KINDS;

export interface Difference {
  kind: DifferenceKind;
  /** Calls concerned; null if the bill does not count calls, or if calls do not matter. */
  requests: number | null;
  /** Tokens that the bill has more, or fewer if negative; null if unknown. */
  tokens: number | null;
  /** Dollars that the bill has more than expected, or fewer if negative; null if there is no price to tell. */
  amountNano: NanoUsd | null;
}

/** The sums of one day, upstream and model: what is known of it here, and the bill. */
export interface Cell {
  /** Undefined if nothing was sold or abandoned. */
  sold: RouteDay | undefined;
  /** Failed requests of the models that have this route. */
  failedRequests: number;
  /** Undefined if it is not on the bill. */
  billed: BilledCounts | undefined;
  /** The cost of the route in the catalogue; undefined if it has none. */
  price: Price | undefined;
}

type Tokens = Record<'promptTokens' | 'completionTokens' | 'cachedTokens' | 'cacheWriteTokens', number>;

/**
 * Names what differs in a cell. Only sums are known, so that an additional call and a missing one of the same day
 * cancel each other out. Additional calls are those abandoned, as far as there are any, then those failed, and the rest
 * is unknown. Differences of price up to `toleranceNano` are left out.
 */
export function compareCell(cell: Cell, toleranceNano: NanoUsd): Difference[] {
  const { sold, billed } = cell;
  if (!billed) return sold && sold.requests > 0 ? [missingCalls(sold)] : [];
  const own = tokensOf(sold);
  const counted = hasTokens(billed) ? toTokens(billed, own) : undefined;
  const cached = counted ? cachedTokens(cell, own, counted) : [];
  const calls = counted ? additionalTokens(cell, own, counted, cached[0]?.amountNano) : additionalCalls(cell);
  return withPrice(cell, [...cached, ...calls], { own, counted, toleranceNano });
}

const hasTokens = ({ promptTokens, completionTokens }: BilledCounts): boolean =>
  promptTokens !== undefined || completionTokens !== undefined;

/** A count that the export does not have is taken to be equal. */
function toTokens(billed: BilledCounts, own: Tokens): Tokens {
  return {
    promptTokens: billed.promptTokens ?? own.promptTokens,
    completionTokens: billed.completionTokens ?? own.completionTokens,
    cachedTokens: billed.cachedTokens ?? own.cachedTokens,
    cacheWriteTokens: billed.cacheWriteTokens ?? own.cacheWriteTokens,
  };
}

function tokensOf(sold: RouteDay | undefined): Tokens {
  const { promptTokens = 0, completionTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = sold ?? {};
  return { promptTokens, completionTokens, cachedTokens, cacheWriteTokens };
}

function missingCalls({ requests, promptTokens, completionTokens, costNano }: RouteDay): Difference {
  return difference(
    'unknown_to_provider',
    requests,
    -promptTokens - completionTokens,
    toNanoUsd(0n - costNano),
  );
}

/** The calls alone, if the bill has no tokens. */
function additionalCalls({ sold, billed, failedRequests }: Cell): Difference[] {
  if (billed?.requests === undefined) return sold ? [] : [difference('unknown_to_farebox', null, null, null)];
  const extra = billed.requests - (sold?.requests ?? 0);
  if (extra < 0) return [difference('unknown_to_provider', -extra, null, null)];
  return splitCalls(extra, sold?.abandonedRequests ?? 0, failedRequests).map(([kind, requests]) =>
    difference(kind, requests, null, null),
  );
}

const difference = (
  kind: DifferenceKind,
  requests: number | null,
  tokens: number | null,
  amountNano: NanoUsd | null,
): Difference => ({ kind, requests, tokens, amountNano });

/** Additional calls may have tokens of the cache as well: only what they cannot explain is a difference of its own. */
function cachedTokens({ price }: Cell, own: Tokens, counted: Tokens): Difference[] {
  const more = Math.max(0, counted.promptTokens - own.promptTokens);
  const fewer = Math.max(0, own.promptTokens - counted.promptTokens);
  const read = beyond(counted.cachedTokens - own.cachedTokens, more, fewer);
  const written = beyond(counted.cacheWriteTokens - own.cacheWriteTokens, more, fewer);
  if (read === 0 && written === 0) return [];
  const from = { ...own, promptTokens: own.promptTokens + more };
  const to = {
    ...from,
    cachedTokens: own.cachedTokens + read,
    cacheWriteTokens: own.cacheWriteTokens + written,
  };
  const amountNano = price ? toNanoUsd(valueOf(price, to) - valueOf(price, from)) : null;
  return [difference('cached_tokens', null, read + written, amountNano)];
}

/** By how much a count moved beyond what `more` or `fewer` tokens of a prompt explain. */
function beyond(moved: number, more: number, fewer: number): number {
  if (moved > more) return moved - more;
  return moved < -fewer ? moved + fewer : 0;
}

/** Calls and tokens that one side has more of. */
function additionalTokens(
  { sold, billed, failedRequests, price }: Cell,
  own: Tokens,
  counted: Tokens,
  cachedNano: NanoUsd | null | undefined,
): Difference[] {
  const prompt = counted.promptTokens - own.promptTokens;
  const completion = counted.completionTokens - own.completionTokens;
  const extra = billed?.requests === undefined ? undefined : billed.requests - (sold?.requests ?? 0);
  if (prompt === 0 && completion === 0 && (extra ?? 0) === 0) return [];
  const tokens = prompt + completion;
  const amountNano = price
    ? toNanoUsd(valueOf(price, counted, extra) - valueOf(price, own) - (cachedNano ?? ZERO_NANO))
    : null;
  if (extra === undefined || extra === 0)
    return [difference(kindOfTokens({ sold, failedRequests }, extra, tokens), null, tokens, amountNano)];
  if (extra < 0) return [difference('unknown_to_provider', -extra, tokens, amountNano)];
  const parts = splitCalls(extra, sold?.abandonedRequests ?? 0, failedRequests);
  if (parts.length === 1)
    return parts.map(([kind, requests]) => difference(kind, requests, tokens, amountNano));
  return shareAmount(parts, amountNano, sold).map(([kind, requests, share]) =>
    difference(kind, requests, null, share),
  );
}

/** Tokens without a call of their own, or on a bill that does not count calls. */
function kindOfTokens(
  { sold, failedRequests }: Pick<Cell, 'sold' | 'failedRequests'>,
  extra: number | undefined,
  tokens: number,
): DifferenceKind {
  const { requests = 0, abandonedRequests = 0, abandonedRests = 0 } = sold ?? {};
  if (tokens <= 0) return 'token_counts';
  if (abandonedRests > 0 || (extra === undefined && abandonedRequests > 0)) return 'abandonment';
  if (extra === undefined && failedRequests > 0) return 'failed_calls';
  return requests === 0 ? 'unknown_to_farebox' : 'token_counts';
}

type Part = readonly [kind: DifferenceKind, requests: number];

function splitCalls(extra: number, abandoned: number, failed: number): Part[] {
  const left = Math.min(extra, abandoned);
  const errors = Math.min(extra - left, failed);
  const parts: Part[] = [
    ['abandonment', left],
    ['failed_calls', errors],
    ['unknown_to_farebox', extra - left - errors],
  ];
  return parts.filter(([, requests]) => requests > 0);
}

/** Abandoned calls have an estimate of their own; the others share the rest by their number. */
function shareAmount(
  parts: readonly Part[],
  amountNano: NanoUsd | null,
  sold: RouteDay | undefined,
): (readonly [...Part, NanoUsd | null])[] {
  if (amountNano === null) return parts.map((part) => [...part, null] as const);
  let [rest, calls]: [bigint, number] = [amountNano, parts.reduce((sum, [, requests]) => sum + requests, 0)];
  return parts.map(([kind, requests]) => {
    const even = (rest * BigInt(requests)) / BigInt(calls);
    const estimate =
      ((sold?.abandonedNano ?? 0n) * BigInt(requests)) / BigInt(Math.max(sold?.abandonedRequests ?? 0, 1));
    const share = kind !== 'abandonment' ? even : estimate < rest ? estimate : rest;
    rest -= share;
    calls -= requests;
    return [kind, requests, toNanoUsd(share)] as const;
  });
}

/** The rest of the bill after the cost of the requests and the differences that were found. */
function withPrice(
  { sold, billed, price }: Cell,
  found: readonly Difference[],
  { own, counted, toleranceNano }: { own: Tokens; counted: Tokens | undefined; toleranceNano: NanoUsd },
): Difference[] {
  const [cost, known] = [toNano(billed?.cost), expectedCost(sold, price, own)];
  const unknown = found.filter(({ amountNano }) => amountNano === null);
  if (cost === null || known === undefined || unknown.length > 1) return [...found];
  const rest = found.reduce((sum, { amountNano }) => sum - (amountNano ?? 0n), cost - known);
  if (unknown.length === 1)
    return found.map((one) => (one.amountNano === null ? { ...one, amountNano: toNanoUsd(rest) } : one));
  // The cost of each request was rounded up to a whole nano-dollar.
  const tolerance = toleranceNano + BigInt(sold?.requests ?? 0);
  if (rest <= tolerance && rest >= -tolerance) return [...found];
  const tokens = counted ? counted.promptTokens + counted.completionTokens : null;
  return [...found, difference(counted ? 'price_drift' : 'cost', null, tokens, toNanoUsd(rest))];
}

/** The recorded cost of what was sold, or its cost at the price of the catalogue if that was not recorded. */
function expectedCost(sold: RouteDay | undefined, price: Price | undefined, own: Tokens): bigint | undefined {
  if (!sold) return 0n;
  if (sold.requestsWithoutCost === 0) return sold.costNano;
  return price && valueOf(price, own, sold.requests);
}

/** The cost of the tokens of a day, and of calls if each has a price: steps are for single prompts. */
function valueOf(price: Price, tokens: Tokens, requests = 0): bigint {
  const ofTokens = costOf({ ...price, steps: undefined, requestPricePico: undefined }, tokens);
  return ofTokens + (BigInt(requests) * (price.requestPricePico ?? 0n)) / PICO_PER_NANO;
}

const PICO_PER_NANO = 1_000n;
const ATTO_PER_NANO = 1_000_000_000n;

/** A billed amount in nano-dollars, rounded half away from zero. */
export function toNano(cost: bigint | undefined): NanoUsd | null {
  if (cost === undefined) return null;
  const half = cost < 0n ? -ATTO_PER_NANO / 2n : ATTO_PER_NANO / 2n;
  return toNanoUsd((cost + half) / ATTO_PER_NANO);
}
