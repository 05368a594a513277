import type { Operation } from '../operation';
import { accountOperations } from './account';
import { apiKeyOperations } from './api-keys';
import { billingOperations, fundingOperations, invoiceOperations } from './billing';
import { chatOperations, embeddingsOperations } from './chat';
import { deviceOperations } from './devices';
import { messagesOperations } from './messages';
import { responsesOperations } from './responses';
import { quoteOperations, receiptOperations } from './receipts';
import { serviceOperations } from './service';
import { sessionOperations, signInOperations } from './sign-in';
import { usageOperations } from './usage';

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
