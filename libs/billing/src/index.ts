export { findCreditNote, listCreditNotes, type CreditNote, type CreditNoteLine } from './credit-notes';
export {
  closeDispute,
  countOpenDisputes,
  findDispute,
  findPayment,
  listDisputes,
  openDispute,
  type Dispute,
  type DisputeState,
} from './disputes';
export {
  findInvoice,
  findInvoiceOwner,
  issueInvoices,
  listInvoices,
  listIssuedInvoices,
  listOpenMonths,
  MonthNotClosedError,
  type Invoice,
  type InvoiceHead,
  type InvoiceLine,
} from './invoices';
export { readSeller, setSeller, type Buyer, type Seller } from './parties';
export {
  claimPaymentNotices,
  closePaymentNotice,
  notePaymentEvent,
  putOffPaymentNotice,
  readOldestNoticeSeconds,
  type PaymentNotice,
} from './payment-notices';
export {
  applyPaymentEvent,
  countPaymentsToCheck,
  createCheckout,
  findCheckout,
  findEarlierCheckout,
  noteStripeSession,
  type Checkout,
  type CheckoutState,
  type PaymentEvent,
  type PaymentOutcome,
} from './payments';
export { findReceipt, listReceipts, receiptNumbersOf, type PaymentReceipt } from './receipts';
export {
  claimCardRemovals,
  closeCardRemoval,
  createCardSetup,
  dropCard,
  findEarlierCardSetup,
  findSavedCards,
  findStripeCustomer,
  noteSetupSession,
  putOffCardRemoval,
  saveCard,
  updateCard,
  type CardFace,
  type CardOutcome,
  type CardRemoval,
  type StoredCard,
} from './saved-cards';
export {
  CHECKOUT_METADATA,
  isPaymentEventType,
  readStripeEvent,
  toCheckoutReference,
  toSetupReference,
  type CardChangedEvent,
  type CardEnteredEvent,
  type StripeNews,
} from './stripe-events';
export {
  endTopUps,
  listTopUpPayments,
  readAutomaticTopUp,
  removeSavedCard,
  switchTopUpOn,
  type AutomaticTopUp,
  type TopUpAttempt,
  type TopUpAttemptState,
  type TopUpOrder,
  type TopUpPayment,
} from './top-up-orders';
export {
  awaitTopUp,
  beginTopUps,
  claimTopUps,
  failTopUp,
  isTopUpWanted,
  toFailureCode,
  toTopUpFailure,
  type ClaimedTopUp,
  type TopUpFailure,
} from './top-ups';
export {
  createVouchers,
  listVouchers,
  redeemVoucher,
  revokeVouchers,
  type NewVouchers,
  type Voucher,
  type VoucherState,
} from './vouchers';
