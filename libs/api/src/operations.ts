import type { Operation } from './operation';
import { accountOperations } from './account/operations';
import { apiKeyOperations } from './api-keys/operations';
import { billingOperations, fundingOperations, invoiceOperations } from './billing/operations';
import { chatOperations, embeddingsOperations } from './chat/operations';
import { deviceOperations } from './devices/operations';
import { messagesOperations } from './messages/operations';
import { responsesOperations } from './responses/operations';
import { quoteOperations, receiptOperations } from './receipts/operations';
import { serviceOperations } from './service/operations';
import { sessionOperations, signInOperations } from './sign-in/operations';
import { usageOperations } from './usage/operations';

/** Every operation of both services. */
export const OPERATIONS: readonly Operation[] = [
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
  ...Object.values(invoiceOperations),
  ...Object.values(fundingOperations),
  ...Object.values(deviceOperations),
  ...Object.values(signInOperations),
  ...Object.values(sessionOperations),
  ...Object.values(serviceOperations),
];

export type { BodyOf, Operation, QueryOf } from './operation';
export {
  accountOperations,
  apiKeyOperations,
  billingOperations,
  deviceOperations,
  fundingOperations,
  invoiceOperations,
  receiptOperations,
  serviceOperations,
  sessionOperations,
  signInOperations,
  usageOperations,
};
