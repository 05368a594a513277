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
  applyPaymentEvent,
  countPaymentsToCheck,
  createCheckout,
  findEarlierCheckout,
  noteStripeSession,
  type Checkout,
  type PaymentEvent,
  type PaymentOutcome,
} from './payments';
