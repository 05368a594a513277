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
  findEarlierCheckout,
  noteStripeSession,
  type Checkout,
  type PaymentEvent,
  type PaymentOutcome,
} from './payments';
export { isPaymentEventType, readStripeEvent, toCheckoutReference } from './stripe-events';
