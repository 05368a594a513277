import type { Operation } from './operation';
import { accountOperations } from './account/operations';
import { apiKeyOperations } from './api-keys/operations';
import { billingDetailsOperations } from './billing-details/operations';
import { billingOperations, fundingOperations, invoiceOperations } from './billing/operations';
import { chatOperations } from './chat/operations';
import { creditNoteOperations } from './credit-notes/operations';
import { deviceOperations } from './devices/operations';
import { embeddingsOperations } from './embeddings/operations';
import { ledgerRootOperations } from './ledger-roots/operations';
import { messagesOperations } from './messages/operations';
import { modelOperations } from './models/operations';
import { paymentReceiptOperations } from './payment-receipts/operations';
import { quoteOperations } from './quotes/operations';
import { responsesOperations } from './responses/operations';
import { receiptOperations } from './receipts/operations';
import { serviceOperations } from './service/operations';
import { sessionOperations, signInOperations } from './sign-in/operations';
import { statementOperations } from './statements/operations';
import { topUpOperations } from './top-ups/operations';
import { usageOperations } from './usage/operations';
import { webhookOperations } from './webhooks/operations';
import { voucherOperations } from './vouchers/operations';

/** Every operation of both services. */
export const OPERATIONS: readonly Operation[] = [
  ...Object.values(modelOperations),
  ...Object.values(chatOperations),
  ...Object.values(messagesOperations),
  ...Object.values(responsesOperations),
  ...Object.values(embeddingsOperations),
  ...Object.values(quoteOperations),
  ...Object.values(accountOperations),
  ...Object.values(apiKeyOperations),
  ...Object.values(usageOperations),
  ...Object.values(receiptOperations),
  ...Object.values(billingOperations),
  ...Object.values(ledgerRootOperations),
  ...Object.values(invoiceOperations),
  ...Object.values(paymentReceiptOperations),
  ...Object.values(creditNoteOperations),
  ...Object.values(statementOperations),
  ...Object.values(fundingOperations),
  ...Object.values(billingDetailsOperations),
  ...Object.values(topUpOperations),
  ...Object.values(voucherOperations),
  ...Object.values(deviceOperations),
  ...Object.values(webhookOperations),
  ...Object.values(signInOperations),
  ...Object.values(sessionOperations),
  ...Object.values(serviceOperations),
];

export { type BodyOf, type Operation, type QueryOf, toRoute } from './operation';
export { errorAnswersOf, type ErrorAnswer } from './operation-errors';
export {
  accountOperations,
  apiKeyOperations,
  billingDetailsOperations,
  billingOperations,
  chatOperations,
  creditNoteOperations,
  deviceOperations,
  embeddingsOperations,
  fundingOperations,
  invoiceOperations,
  ledgerRootOperations,
  messagesOperations,
  modelOperations,
  paymentReceiptOperations,
  quoteOperations,
  receiptOperations,
  responsesOperations,
  serviceOperations,
  sessionOperations,
  signInOperations,
  statementOperations,
  topUpOperations,
  usageOperations,
  webhookOperations,
  voucherOperations,
};
