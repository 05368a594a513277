import { toPublicId, uuidV7 } from '@farebox/ids';
import type { Attempt, Told } from '../load/attempt';
import type { PlannedRequest } from '../load/planned-request';
import type { Charge } from './books';
import type { Evidence } from './evidence';

const HOLD_ID = uuidV7();
const PAID_IN_NANO = 1_000n;

/** What a client is told who gets the answer that `aCharge` is for. */
export const answered = (more: Partial<Extract<Told, { kind: 'answered' }>> = {}): Told => ({
  kind: 'answered',
  completionId: toPublicId('chatcmpl', HOLD_ID),
  cost: '0.000000058',
  content: '{}',
  replayed: false,
  ...more,
});

export function anAttempt(told: Told, request: Partial<PlannedRequest> = {}, requestId = 'first'): Attempt {
  const usual = { model: 'at-once', streamed: false, wantsUsage: true, customer: 0, copies: 1 } as const;
  return {
    requestId,
    request: { name: 'request', idempotencyKey: undefined, hangUp: undefined, ...usual, ...request },
    ...{ gateway: 0, startedAtMs: 100_000, endedAtMs: 100_300, told },
  };
}

export const aCharge = (more: Partial<Charge> = {}): Charge => ({
  ...{ id: HOLD_ID, requestId: 'first', costNano: 58n, chargedNano: 58n, refundedNano: 0n },
  ...more,
});

/** What happened in a run. */
export interface Case {
  attempts: Attempt[];
  charges?: Charge[];
  reason?: string;
  calls?: number;
  lost?: { fromMs: number; untilMs: number };
  reviewedAtMs?: number;
}

/** The evidence of a run in which only this happened, with books whose money adds up. */
export function evidenceOf({
  attempts,
  charges = [],
  reason,
  calls = 1,
  lost,
  reviewedAtMs = 103_000,
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
      reviews:
        reason === undefined
          ? []
          : [{ id: HOLD_ID, requestId: 'first', reason, reservedNano: 0n, createdAtMs: reviewedAtMs }],
      heldRequestIds: [],
      balanceNano: PAID_IN_NANO - spentNano,
      heldNano: 0n,
    },
    paidInNano: PAID_IN_NANO,
    disturbances: [lost ? [lost] : []],
    databaseDisturbances: lost ? [lost] : [],
    resolvedWithinMs: 63_000,
  };
}
