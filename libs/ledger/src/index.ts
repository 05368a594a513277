export {
  adjustBalance,
  collectOwed,
  InsufficientFundsError,
  NoSuchAccountError,
  openAccountFunds,
  readBalance,
  readOwed,
  readSpending,
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
  ownerOfEntry,
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
export { closeDays, type ClosedDays } from './roots/close-days';
export { findProof, listRoots, type EntryProof, type SignedRoot, type StoredDay } from './roots/proofs';
export { toPublishedProof, toPublishedRoot } from './roots/published';
export { createRootSigner, type RootSigner } from './roots/statement';
export {
  noteRootsVerified,
  verifyRoots,
  type RootDifference,
  type RootVerification,
} from './roots/verify-roots';
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
  type RefusalGroup,
  type Refusals,
  type Revenue,
  type RevenueGroup,
} from './usage/reports';
export { findRequestTrace, type RequestTrace } from './usage/request-trace';
export {
  insertUnchargedRequests,
  purgeUnchargedRequests,
  type EndedRequest,
  type UnchargedRequest,
} from './usage/uncharged-requests';
export { searchAccountRequests } from './usage/search-account-requests';
export { readRouteUse, type RouteUse } from './usage/route-use';
export { sumClosedSales } from './usage/sales';
export {
  searchRequests,
  type RequestSearch,
  type SearchedPage,
  type SearchedRequest,
} from './usage/search-requests';
export type { UsageCursor, UsageRecord } from './usage/usage-records';
export { ceilTo, floorTo, hasUsedModel, sumClosedUsage, type HourRange } from './usage/usage-sums';
