import { fromRequestId } from '@farebox/auth';
import {
  costLines,
  findPriceVersion,
  type CatalogSnapshot,
  type CostKind,
  type DatedPriceVersion,
  type Price,
  type PricedUsage,
} from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import { MINUTE_MS } from '@farebox/flow';
import { findProof, findReceipt, findRequestNamed, type EntryProof, type Receipt } from '@farebox/ledger';
import { roundUpToNano, toNanoUsd, type NanoUsd, type PicoUsd } from '@farebox/money';
import type { Pool } from 'pg';
import type { Sources } from './sources';

/** The id as it was sent; with an API key, only its own requests are found. */
interface AskedReceipt {
  text: string;
  apiKeyId: string | undefined;
}

/** A receipt with the data for the cost of each kind of token, or for the latest end of the request. */
export interface PricedReceipt {
  receipt: Receipt;
  /** Undefined if the request has none, or its prices are no longer known. */
  price: DatedPriceVersion | undefined;
  endsBy: Date | undefined;
  /** Undefined if nothing was charged, and until the day of the charge has a root. */
  proof: EntryProof | undefined;
}

/**
 * The state of a request, by any of its ids: its own, its completion's, or one that its client chose. Throws
 * the error of a missing request, also for another account's or another key's.
 */
export async function readReceipt(
  accountId: string,
  { pool, readCatalog }: Sources,
  { text, apiKeyId }: AskedReceipt,
): Promise<PricedReceipt> {
  const receipt =
    (await findById(accountId, pool, text, apiKeyId)) ?? (await findByName(accountId, pool, text, apiKeyId));
  if (!receipt) throw receiptNotFound();
  const priceVersionId = priceVersionOf(receipt);
  return {
    receipt,
    price: priceVersionId === undefined ? undefined : await findPriceVersion(pool, priceVersionId),
    endsBy: receipt.state === 'running' ? endOf(receipt, await readCatalog()) : undefined,
    proof: isCharged(receipt) ? await findProof(pool, accountId, receipt.id) : undefined,
  };
}

export function receiptNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'request_id',
    message: 'There is no such request.',
  });
}

async function findById(
  accountId: string,
  pool: Pool,
  text: string,
  apiKeyId?: string,
): Promise<Receipt | undefined> {
  const id = fromRequestId(text);
  return id === undefined ? undefined : findReceipt(pool, accountId, id, apiKeyId);
}

/** A request id chosen by the client. Source: docs/design/contract.md. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

async function findByName(
  accountId: string,
  pool: Pool,
  text: string,
  apiKeyId?: string,
): Promise<Receipt | undefined> {
  if (!REQUEST_ID.test(text)) return undefined;
  const id = await findRequestNamed(pool, accountId, text, apiKeyId);
  return id === undefined ? undefined : findReceipt(pool, accountId, id, apiKeyId);
}

function isCharged({ state }: Receipt): boolean {
  return state === 'charged' || state === 'refunded';
}

function priceVersionOf(receipt: Receipt): string | undefined {
  if (receipt.state === 'running') return receipt.priceVersionId;
  return 'measured' in receipt ? receipt.measured.priceVersionId : undefined;
}

/** Time after the last call: for the gateway's writes and, if it is lost, for its lease and the sweep. */
const AFTERMATH_MS = 5 * MINUTE_MS;

/** Each route is called at most once, and each call has a time limit. */
function endOf(
  { modelId, heldSince }: Extract<Receipt, { state: 'running' }>,
  { models, upstreams }: CatalogSnapshot,
): Date | undefined {
  const model = modelId === null ? undefined : models.get(modelId);
  if (!model) return undefined;
  const callsMs = model.routes.map(({ upstreamId }) => upstreams.get(upstreamId)?.totalTimeoutMs ?? 0);
  return new Date(heldSince.getTime() + callsMs.reduce((sum, ms) => sum + ms, 0) + AFTERMATH_MS);
}

/** The cost of one kind. */
export interface SplitCost {
  kind: CostKind | 'over_hold';
  count: number;
  /** Per token; undefined for kinds other than tokens. */
  pricePico: PicoUsd | undefined;
  costNano: NanoUsd;
}

const PICO_PER_NANO = 1_000n;

/**
 * Splits a cost by kind, so that the parts add up to the whole. Each part is rounded down, and the last one
 * gets the rounding difference. If less was charged than the tokens cost because no more was held, a part
 * shows that.
 */
export function splitCost(price: Price, usage: PricedUsage, chargedNano: NanoUsd): SplitCost[] {
  const lines = costLines(price, usage);
  const exactPico = lines.map(({ count, pricePico }) => BigInt(count) * pricePico);
  const wholeNano = roundUpToNano(exactPico.reduce((sum, pico) => sum + pico, 0n));
  const partsNano = exactPico.map((pico) => pico / PICO_PER_NANO);
  const restNano = wholeNano - partsNano.reduce((sum, nano) => sum + nano, 0n);
  const split = lines.map((line, i): SplitCost => {
    const isLast = i === lines.length - 1;
    return { ...line, costNano: toNanoUsd((partsNano[i] ?? 0n) + (isLast ? restNano : 0n)) };
  });
  if (chargedNano === wholeNano) return split;
  const overNano = toNanoUsd(chargedNano - wholeNano);
  return [...split, { kind: 'over_hold', count: 1, pricePico: undefined, costNano: overNano }];
}
