export { createCheckout, findEarlierCheckout, noteStripeSession, type Checkout } from './checkouts';
export {
  applyPaymentEvent,
  type CheckoutNews,
  type PaymentEvent,
  type PaymentNews,
  type PaymentOutcome,
} from './payment-event';
export { countPaymentsToCheck } from './payments-to-check';
