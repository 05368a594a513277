export { openAccountFunds, readBalance, topUp, type Balance, type TopUp } from './account-funds';
export { ERROR_OF_REFUSAL, REFUSALS, type Admission, type AdmissionResult, type Refusal } from './admission';
export { openGatewayLedger, type GatewayLedger, type GatewayLedgerOptions } from './gateway-ledger';
export {
  listEntries,
  type EntryPage,
  type LedgerBook,
  type LedgerEntry,
  type LedgerEntryKind,
} from './ledger-entries';
export { LedgerUnavailableError, NoSuchAccountError, ReferenceTakenError } from './ledger-error';
export type { Settlement, SettlementResult, Usage, UsageOutcome } from './settlement';
export { sweepAbandonedHolds } from './sweep';
export { verifyLedger, type Difference, type Verification } from './verify';
