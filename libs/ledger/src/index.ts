export {
  adjustBalance,
  collectOwed,
  InsufficientFundsError,
  NoSuchAccountError,
  openAccountFunds,
  readBalance,
  readOwed,
  ReferenceTakenError,
  topUp,
  type Adjustment,
  type Balance,
  type TopUp,
} from './account-funds';
export type { BatchMeasure } from './batching/lane';
export {
  checkBooks,
  readCheckProgress,
  readLastCheck,
  type CheckProgress,
  type LastCheck,
} from './books/check-books';
export type { Difference } from './books/check-slice';
export { verifyLedger, type Round, type Verification } from './books/verify-ledger';
export { concludeCharge } from './failed-charges';
export { openGatewayLedger, type GatewayLedger, type GatewayLedgerOptions } from './gateway-ledger';
export {
  ChargeHandedOverError,
  HoldLostError,
  LedgerUnavailableError,
  NO_ROOM,
  REFUSALS,
  type Abandonment,
  type AdmissionResult,
  type FailedCharge,
  type IdempotencyClaim,
  type Refusal,
  type Usage,
  type UsageRoute,
} from './hold';
export { createAnswerCipher, type AnswerCipher } from './idempotency/answer-cipher';
export {
  claimOfItems,
  PART_BYTES,
  purgeKeptAnswers,
  type AnswerClaim,
  type KeptBytes,
} from './idempotency/kept-answers';
export { sweepAbandonedHolds } from './lease';
export {
  countEntries,
  listEntries,
  listFundings,
  ownsEntry,
  ownsFunding,
  readEntries,
  type EntryPage,
  type Funding,
  type LedgerEntry,
} from './ledger-entries';
export {
  listLimitPolicies,
  readAccountLimits,
  removeLimitPolicy,
  setLimitPolicy,
  type AccountLimit,
  type LimitPolicy,
  type LimitTarget,
} from './limits/limit-policies';
export {
  afterAdmission,
  findRefusing,
  findTightest,
  isTooLarge,
  hasRoom,
  leftOfLimit,
  LIMIT_MEASURES,
  LIMIT_WINDOWS,
  type LimitDecision,
  type LimitMeasure,
  type LimitState,
  type LimitWindow,
} from './limits/limit-states';
export { readQuote, type Quote, type QuoteRequest, type SpendingLimit } from './quote';
export { readMoneyAtRisk, type MoneyAtRisk } from './money-at-risk';
export {
  makePartitions,
  notePurged,
  purgeUsageRecords,
  readPartitionReach,
  retirePartitions,
  SHORTEST_RETENTION_MONTHS,
  type PartitionReach,
} from './retention';
export {
  findReview,
  listReviews,
  openReview,
  proposeResolution,
  resolveReview,
  REVIEW_REASONS,
  type Resolution,
  type Review,
  type ReviewReason,
  type ReviewState,
} from './reviews';
export { listRefundable, refundCharge, type ChargesToRefund, type RefundableCharge } from './refunds';
export { visitChargedUsage, type ChargedUsage } from './usage/charged-usage';
export { boundRequests } from './usage/count-requests';
export { listStatements, STATEMENT_LINES, type Statement } from './statements';
export {
  findRequest,
  findRequestCursor,
  isCharged,
  listRequests,
  readRequests,
  type ListedRequest,
  type OutcomeFilter,
  type RequestList,
} from './usage/list-requests';
export { readMargins, type Margin, type MarginGroup } from './usage/margin';
export {
  readUsage,
  type UsageFilter,
  type UsageGroup,
  type UsageQuestion,
  type UsageTotals,
} from './usage/read-usage';
export {
  findReceipt,
  findRequestNamed,
  RECEIPT_STATES,
  type Measured,
  type Receipt,
  type ReceiptReview,
  type ReceiptState,
} from './usage/receipts';
export {
  readFailedDays,
  readFailedRequests,
  readRouteDays,
  type FailedDay,
  type RouteDay,
} from './usage/route-days';
export {
  readRefusals,
  readRevenue,
  readRouteUse,
  type RefusalGroup,
  type Refusals,
  type Revenue,
  type RevenueGroup,
  type RouteUse,
} from './usage/reports';
export { findRequestTrace, type RequestTrace } from './usage/request-trace';
export {
  insertUnchargedRequests,
  purgeUnchargedRequests,
  type EndedRequest,
  type UnchargedRequest,
} from './usage/uncharged-requests';
export type { UsageCursor, UsageRecord } from './usage/usage-records';
export { ceilTo, floorTo, hasUsedModel, sumClosedUsage, type HourRange } from './usage/usage-sums';
