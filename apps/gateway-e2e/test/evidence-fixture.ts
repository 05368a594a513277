import { toPublicId, uuidV7 } from '@farebox/auth';
import type { Attempt, ChatRequest, ClientResult } from './chat-client';
import { costNanoOf } from './breakable-service';
import type { Charge, Evidence, ReviewRow } from '../src/audit/evidence';

const HOLD_ID = uuidV7();
const PAID_IN_NANO = 1_000_000n;
/** The usage of every text and so of every charge: the price of a charge is right with it. */
const TOKENS = { promptTokens: 8, completionTokens: 25 };

/** The result of a client that gets the answer of `aCharge`. */
export const answered = (more: Partial<Extract<ClientResult, { kind: 'answered' }>> = {}): ClientResult => ({
  kind: 'answered',
  completionId: toPublicId('chatcmpl', HOLD_ID),
  cost: '0.000058000',
  content: '{}',
  replayed: false,
  ...more,
});

export function anAttempt(
  result: ClientResult,
  request: Partial<ChatRequest> = {},
  requestId = 'first',
): Attempt {
  const usual = { model: 'at-once', streamed: false, wantsUsage: true } as const;
  return {
    requestId,
    request: { name: 'request', idempotencyKey: undefined, hangUp: undefined, ...usual, ...request },
    ...{ gateway: 0, startedAtMs: 100_000, endedAtMs: 100_300, result },
  };
}

export const aCharge = (more: Partial<Charge> = {}): Charge => ({
  ...{
    id: HOLD_ID,
    requestId: 'first',
    chargedAtMs: 100_250,
    ...TOKENS,
    costNano: 58_000n,
    chargedNano: 58_000n,
    refundedNano: 0n,
  },
  ...more,
});

function aReview(reason: string, createdAtMs: number, completionTokens: number): ReviewRow {
  const measured = reason === 'gateway_lost' ? null : costNanoOf({ ...TOKENS, completionTokens });
  return {
    ...{ id: HOLD_ID, requestId: 'first', reason, state: 'open', reservedNano: 0n, createdAtMs },
    ...{ ...TOKENS, completionTokens, measuredNano: measured },
  };
}

/** The events of a run. */
export interface Case {
  attempts: Attempt[];
  charges?: Charge[];
  reason?: string;
  calls?: number;
  lost?: { fromMs: number; untilMs: number };
  reviewedAtMs?: number;
  tokensInReview?: number;
}

/** The evidence of a run with only these events, and with books whose money adds up. */
export function evidenceOf({
  attempts,
  charges = [],
  reason,
  calls = 1,
  lost,
  reviewedAtMs = 103_000,
  tokensInReview = TOKENS.completionTokens,
}: Case): Evidence {
  const spentNano = charges.reduce(
    (sum, { chargedNano, refundedNano }) => sum + chargedNano - refundedNano,
    0n,
  );
  return {
    attempts,
    unanswered: [],
    upstreamCalls: new Map([['request', calls]]),
    books: {
      charges,
      reviews: reason === undefined ? [] : [aReview(reason, reviewedAtMs, tokensInReview)],
      heldRequestIds: [],
      balanceNano: PAID_IN_NANO - spentNano,
      heldNano: 0n,
    },
    paidInNano: PAID_IN_NANO,
    disturbances: [lost ? [lost] : []],
    databaseDisturbances: lost ? [lost] : [],
    resolvedWithinMs: 63_000,
    countTokens: (text) => (text === '' ? 0 : TOKENS.completionTokens),
  };
}
