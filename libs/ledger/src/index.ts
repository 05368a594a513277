export {
  adjustBalance,
  openAccountFunds,
  readBalance,
  topUp,
  type Adjustment,
  type Balance,
  type TopUp,
} from './account-funds';
export {
  ERROR_OF_REFUSAL,
  REFUSALS,
  type Admission,
  type AdmissionResult,
  type IdempotencyClaim,
  type Refusal,
} from './admission';
export type { BatchMeasure } from './batching/lane';
export { concludeCharge } from './conclude-charge';
export type { FailedCharge } from './failed-charges';
export { listFundings, ownsFunding, type Funding } from './fundings';
export { openGatewayLedger, type GatewayLedger, type GatewayLedgerOptions } from './gateway-ledger';
export {
  AnswerUnreadableError,
  createAnswerCipher,
  type AnswerCipher,
  type VersionedKey,
} from './idempotency/answer-cipher';
export { PART_BYTES, type AnswerClaim, type AnswerOwner, type KeptBytes } from './idempotency/kept-answers';
export {
  listEntries,
  ownsEntry,
  type EntryPage,
  type LedgerBook,
  type LedgerEntry,
  type LedgerEntryKind,
} from './ledger-entries';
export {
  ChargeHandedOverError,
  InsufficientFundsError,
  LedgerUnavailableError,
  NoSuchAccountError,
  ReferenceTakenError,
} from './ledger-error';
export { readMoneyAtRisk, type MoneyAtRisk } from './money-at-risk';
export { proposeResolution } from './propose-resolution';
export {
  checkBooks,
  readCheckProgress,
  readLastCheck,
  type CheckProgress,
  type CheckResult,
  type LastCheck,
} from './books/check-books';
export { makePartitions, readPartitionReach, retirePartitions, type PartitionReach } from './partitions';
export { forgetRequests, noteForgotten, SHORTEST_RETENTION_MONTHS } from './retention';
export { collectOwed, readOwed } from './reversals';
export {
  findReview,
  listReviews,
  openReview,
  resolveReview,
  REVIEW_REASONS,
  type Resolution,
  type Review,
  type ReviewPage,
  type ReviewReason,
  type ReviewState,
} from './reviews';
export type { Settlement, SettlementResult, Usage, UsageOutcome } from './settlement';
export { forgetAnswers, sweepAbandonedHolds } from './sweep';
export { hasUsedModel } from './usage/has-used-model';
export { listUsage, type UsagePage } from './usage/list-usage';
export { readUsage, type UsageGroup, type UsageQuestion, type UsageTotals } from './usage/read-usage';
export { rememberSummedBefore, sumClosedUsage, type SummedBefore } from './usage/sum-usage';
export type { UsageFilter, UsageGrouping } from './usage/usage-query';
export { findUsageCursor, type UsageCursor, type UsageRecord } from './usage/usage-records';
export { ceilTo, DAY_MS, floorTo, HOUR_MS, type HourRange } from './usage/usage-time';
export { verifyLedger, type Round, type Verification, type VerifyOptions } from './books/verify-ledger';
export type { Difference } from './books/check-slice';
