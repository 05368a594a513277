import { toPublicId } from '@farebox/auth';
import { toUnixSeconds, type Receipt as ReceiptRecord, type ReceiptCostLine } from '@farebox/api';
import { receiptOperations } from '@farebox/api/operations';
import { toPublishedProof, type Receipt, type ReceiptReview } from '@farebox/ledger';
import { priceOfTokens, roundUpToNano, toDecimalUsd, ZERO_NANO } from '@farebox/money';
import type { UseCases } from '../use-cases/bind-use-cases';
import { receiptNotFound, splitCost, type PricedReceipt, type SplitCost } from '../use-cases/receipts';
import { onApiKey, type KeyEndpoint } from './endpoint';

/** `/v1/requests`, with an API key or a session. */
export function receiptEndpoints(receipts: UseCases['receipts']): KeyEndpoint[] {
  return [
    onApiKey(receiptOperations.getRequest, async ({ accountId, apiKeyId, params }) => {
      const { request_id: id } = params;
      if (typeof id !== 'string') throw receiptNotFound();
      return { body: toRecord(await receipts.readReceipt(accountId, { text: id, apiKeyId })) };
    }),
  ];
}

/** Defaults for the fields that only some states have. */
const NOTHING = {
  hold: null,
  usage: null,
  cost: toDecimalUsd(ZERO_NANO),
  refunded: toDecimalUsd(ZERO_NANO),
  costs: [],
  outcome: null,
  streamed: null,
  estimated: false,
  latency_ms: null,
  first_token_ms: null,
  ended_at: null,
  error_code: null,
  error_message: null,
  error_param: null,
  http_status: null,
};

function toRecord({ receipt, price, endsBy, proof }: PricedReceipt): ReceiptRecord {
  return {
    object: 'request',
    id: toPublicId('chatcmpl', receipt.id),
    request_id: receipt.requestId,
    state: receipt.state,
    model: receipt.modelId,
    key_public_id: toPublicId('key', receipt.apiKeyId),
    currency: 'usd',
    price_version: price
      ? { id: toPublicId('price', price.id), starts_at: toUnixSeconds(price.startsAt) }
      : null,
    review: receipt.review ? toReview(receipt.review) : null,
    proof: proof ? toPublishedProof(proof) : null,
    ...NOTHING,
    ...whatBecameOf(receipt, price, endsBy),
  };
}

function whatBecameOf(
  receipt: Receipt,
  price: PricedReceipt['price'],
  endsBy: Date | undefined,
): Partial<ReceiptRecord> {
  switch (receipt.state) {
    case 'running':
      return {
        hold: {
          amount: toDecimalUsd(receipt.heldNano),
          since: toUnixSeconds(receipt.heldSince),
          ends_by: endsBy ? toUnixSeconds(endsBy) : null,
        },
      };
    case 'charged':
    case 'refunded':
    case 'in_review': {
      const { measured, endedAt } = receipt;
      const { promptTokens, completionTokens, costNano } = measured;
      return {
        usage: {
          prompt_tokens: promptTokens,
          completion_tokens: completionTokens,
          total_tokens: promptTokens + completionTokens,
        },
        cost: toDecimalUsd(costNano),
        refunded: toDecimalUsd(receipt.state === 'in_review' ? ZERO_NANO : receipt.refundedNano),
        costs: price ? splitCost(price, measured, costNano).map(toCostLine) : [],
        outcome: measured.outcome,
        streamed: measured.streamed,
        estimated: measured.estimated,
        latency_ms: measured.latencyMs,
        first_token_ms: measured.firstTokenMs,
        ended_at: toUnixSeconds(endedAt),
      };
    }
    case 'released':
      return { ended_at: toUnixSeconds(receipt.endedAt) };
    case 'refused':
    case 'failed':
      return {
        streamed: receipt.streamed,
        latency_ms: receipt.latencyMs,
        ended_at: toUnixSeconds(receipt.endedAt),
        error_code: receipt.errorCode,
        error_message: receipt.errorMessage,
        error_param: receipt.errorParam,
        http_status: receipt.httpStatus,
      };
  }
}

const PRICED_TOKENS = 1_000_000;

function toCostLine({ kind, count, pricePico, costNano }: SplitCost): ReceiptCostLine {
  const cost = toDecimalUsd(costNano);
  if (pricePico === undefined) return { kind, count, price: null, unit: null, cost };
  const isOfOne = kind === 'image' || kind === 'request';
  const price = roundUpToNano(priceOfTokens(isOfOne ? 1 : PRICED_TOKENS, pricePico));
  return { kind, count, price: toDecimalUsd(price), unit: isOfOne ? kind : '1M tokens', cost };
}

/** The message of a review for its customer. */
const REVIEW_MESSAGES = {
  charge_failed: {
    open: 'The charge could not be recorded. The measured cost is reserved until it is charged or released.',
    charged: 'The charge could not be recorded at first. The measured amount has been charged since.',
    waived: 'The charge could not be recorded. The measured amount has been released.',
  },
  gateway_lost: 'The process that handled this request was lost. Nothing was charged for it.',
  usage_over_hold: 'More was measured than was held. Only the held amount was charged.',
  usage_implausible:
    'The model reported inconsistent usage. The charge is the highest possible usage, or the count of the service itself.',
  response_lost:
    'Nothing of the response reached its client, as for other requests of this account that day. The charge was refunded.',
} as const;

function toReview({ reason, state, createdAt, resolvedAt }: ReceiptReview): ReceiptRecord['review'] {
  const messages = REVIEW_MESSAGES[reason];
  return {
    state: state === 'open' ? 'open' : 'closed',
    reason,
    message: typeof messages === 'string' ? messages : messages[state],
    opened_at: toUnixSeconds(createdAt),
    closed_at: resolvedAt && toUnixSeconds(resolvedAt),
  };
}
