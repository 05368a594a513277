import type { NanoUsd } from '@farebox/money';
import type { Adjustment, TopUp } from '../../src/account-funds';
import type { Abandonment, Admission, AdmissionResult, SettlementResult, Usage } from '../../src/hold';
import type { Resolution, resolveReview } from '../../src/reviews';
import type { LedgerState } from './state';

/** Every operation on the ledger. */
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
  /** Another transaction locks an account for a moment, without a change. */
  | { kind: 'lockAccount'; accountId: string; lockMs: number }
  | { kind: 'renewLease' | 'lapseLease'; gatewayId: string }
  /** Releases the holds of lapsed gateways, except those placed during the sweep. */
  | { kind: 'sweep'; unseen: readonly string[] }
  /** A gateway's lease lapses, and then the sweep runs. */
  | { kind: 'gatewayLost'; gatewayId: string }
  /** 24 hours pass for every kept answer. */
  | { kind: 'expireAnswers' }
  | { kind: 'purgeKeptAnswers' }
  | { kind: 'dayPasses' | 'monthPasses' };

/** The answers of the TypeScript API, including its errors. */
export type Answer =
  | AdmissionResult
  | SettlementResult
  | MovementResult
  /** Whether it had an effect or was already done: a refund, the opening of a review. */
  | boolean
  | Awaited<ReturnType<typeof resolveReview>>
  /** The number of holds that a sweep released. */
  | number
  /** For operations that cannot be refused. */
  | 'done';

/** The result of a top-up or an adjustment. */
export type MovementResult =
  { created: boolean; balanceAfterNano: NanoUsd } | 'reference_taken' | 'insufficient_funds';

/** The result of an operation: the next state, and the answer to its caller. */
export interface Applied<Given extends Answer = Answer> {
  state: LedgerState;
  answer: Given;
}
