import type { NanoUsd } from '@farebox/money';
import type { Adjustment, TopUp } from '../../src/account-funds';
import type { Abandonment, Admission, AdmissionResult, SettlementResult, Usage } from '../../src/hold';
import type { Resolution, resolveReview } from '../../src/reviews';
import type { LedgerState } from './state';

/** Everything that can happen to the ledger, one thing at a time. */
export type Operation =
  | { kind: 'admit'; gatewayId: string; admission: Admission }
  | { kind: 'charge'; holdId: string; accountId: string; usage: Usage }
  | { kind: 'release'; holdId: string; accountId: string; abandoned?: Abandonment | undefined }
  | { kind: 'refund'; chargeId: string }
  | { kind: 'topUp'; topUp: TopUp }
  | { kind: 'adjust'; adjustment: Adjustment }
  | { kind: 'openReview'; holdId: string; accountId: string; usage: Usage }
  | { kind: 'resolveReview'; reviewId: string; resolution: Resolution }
  | { kind: 'revokeKey' | 'rotateKey' | 'expireKey'; apiKeyId: string }
  | { kind: 'setMonthlyLimit'; apiKeyId: string; limitNano: NanoUsd | undefined }
  | { kind: 'suspend' | 'activate'; accountId: string }
  | { kind: 'moveToCohort'; accountId: string; cohortName: string }
  /** Somebody else has an account locked for a moment, and changes nothing. */
  | { kind: 'lockAccount'; accountId: string; lockMs: number }
  | { kind: 'renewLease' | 'lapseLease'; gatewayId: string }
  /** Releases the holds of lapsed gateways, except those that were placed while the sweep was looking. */
  | { kind: 'sweep'; unseen: readonly string[] }
  /** A gateway's lease lapses, and then the sweep comes. */
  | { kind: 'gatewayLost'; gatewayId: string }
  /** 24 hours pass for every answer that is kept. */
  | { kind: 'expireAnswers' }
  | { kind: 'purgeKeptAnswers' }
  | { kind: 'dayPasses' | 'monthPasses' };

/** What the TypeScript API answers, its errors included. */
export type Answer =
  | AdmissionResult
  | SettlementResult
  | MovementResult
  /** Of what is done or was done before: a refund, the opening of a review. */
  | boolean
  | Awaited<ReturnType<typeof resolveReview>>
  /** Of a sweep: how many holds were released. */
  | number
  /** Of what cannot be refused. */
  | 'done';

/** Of a top-up or an adjustment. */
export type MovementResult =
  { created: boolean; balanceAfterNano: NanoUsd } | 'reference_taken' | 'insufficient_funds';

/** What an operation comes to: the state after it, and what its caller is told. */
export interface Applied<Given extends Answer = Answer> {
  state: LedgerState;
  answer: Given;
}
