import { z } from 'zod';
import { accountEvent, accountEventList } from '../account/events';
import { accountLimitList, accountModelList, accountRecord, updateAccountBody } from '../account/schema';
import {
  apiKeyList,
  apiKeyRecord,
  apiKeyWithSecret,
  createApiKeyBody,
  rotateApiKeyBody,
  updateApiKeyBody,
} from '../api-keys/schema';
import { billingDetailsRecord, updateBillingDetailsBody } from '../billing-details/schema';
import {
  balanceRecord,
  checkoutRecord,
  checkoutStatus,
  createCheckoutBody,
  fundingList,
  fundingRecord,
  invoiceList,
  invoiceRecord,
  invoiceSummary,
  transactionList,
  transactionRecord,
  stripeEvent,
  webhookReceipt,
} from '../billing/schema';
import { chatCompletionRequest } from '../chat/request';
import { toldChatCompletion, toldChatCompletionChunk } from '../chat/response';
import { creditNote, creditNoteList } from '../credit-notes/schema';
import {
  deviceList,
  deviceRecord,
  deviceSession,
  registerDeviceBody,
  renameDeviceBody,
} from '../devices/schema';
import { embeddingsList, embeddingsRequest } from '../embeddings/schema';
import { ledgerProof, ledgerRoot, ledgerRootList } from '../ledger-roots/schema';
import { countTokensRequest, messagesRequest } from '../messages/request';
import { createdMessage, messageEvent, messagesError, tokenCount } from '../messages/response';
import { model, modelList } from '../models/schema';
import { paymentReceipt, paymentReceiptList } from '../payment-receipts/schema';
import { quote } from '../quotes/schema';
import { receipt } from '../receipts/schema';
import { responsesRequest } from '../responses/request';
import { responsesCompaction, responsesEvent, responsesResponse } from '../responses/response';
import { serviceRecord, health, readiness } from '../service/schema';
import {
  createSessionBody,
  endedSessions,
  linkRequest,
  newSession,
  requestLinkBody,
  sessionList,
  sessionRecord,
  spendCodeBody,
} from '../sign-in/schema';
import { statementList, statementRecord } from '../statements/schema';
import { automaticTopUpRecord, cardSetupRecord, enableAutomaticTopUpBody } from '../top-ups/schema';
import {
  usageByApiKey,
  usageByModel,
  usageList,
  usageRecord,
  usageSummary,
  usageTotals,
} from '../usage/schema';
import {
  createWebhookBody,
  deletedWebhook,
  updateWebhookBody,
  webhookDelivery,
  webhookDeliveryList,
  webhookList,
  webhookRecord,
  webhookTest,
  webhookWithSecret,
} from '../webhooks/schema';
import { redeemVoucherBody } from '../vouchers/schema';
import type { Json, JsonObject } from './json';

/**
 * The schemas that have a name in the document, and in generated code. Every body of a request or a response is one.
 */
const NAMED_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  Account: accountRecord,
  AccountEvent: accountEvent,
  AccountEventList: accountEventList,
  AccountLimitList: accountLimitList,
  AccountModelList: accountModelList,
  ApiKey: apiKeyRecord,
  ApiKeyList: apiKeyList,
  ApiKeyWithSecret: apiKeyWithSecret,
  AutomaticTopUp: automaticTopUpRecord,
  Balance: balanceRecord,
  BillingDetails: billingDetailsRecord,
  CardSetup: cardSetupRecord,
  ChatCompletion: toldChatCompletion,
  ChatCompletionChunk: toldChatCompletionChunk,
  ChatCompletionRequest: chatCompletionRequest,
  Checkout: checkoutRecord,
  CheckoutStatus: checkoutStatus,
  CountTokensRequest: countTokensRequest,
  CreateApiKeyRequest: createApiKeyBody,
  CreateCheckoutRequest: createCheckoutBody,
  CreateSessionRequest: createSessionBody,
  CreateWebhookRequest: createWebhookBody,
  CreatedMessage: createdMessage,
  CreditNote: creditNote,
  CreditNoteList: creditNoteList,
  DeletedWebhook: deletedWebhook,
  Device: deviceRecord,
  DeviceList: deviceList,
  DeviceSession: deviceSession,
  EmbeddingsList: embeddingsList,
  EmbeddingsRequest: embeddingsRequest,
  EnableAutomaticTopUpRequest: enableAutomaticTopUpBody,
  EndedSessions: endedSessions,
  Funding: fundingRecord,
  FundingList: fundingList,
  Health: health,
  Invoice: invoiceRecord,
  InvoiceList: invoiceList,
  InvoiceSummary: invoiceSummary,
  LedgerProof: ledgerProof,
  LedgerRoot: ledgerRoot,
  LedgerRootList: ledgerRootList,
  LinkRequest: linkRequest,
  MessageEvent: messageEvent,
  MessagesError: messagesError,
  MessagesRequest: messagesRequest,
  Model: model,
  ModelList: modelList,
  NewSession: newSession,
  PaymentReceipt: paymentReceipt,
  PaymentReceiptList: paymentReceiptList,
  Quote: quote,
  Readiness: readiness,
  Receipt: receipt,
  RedeemVoucherRequest: redeemVoucherBody,
  RegisterDeviceRequest: registerDeviceBody,
  RenameDeviceRequest: renameDeviceBody,
  RequestLinkRequest: requestLinkBody,
  ResponsesCompaction: responsesCompaction,
  ResponsesEvent: responsesEvent,
  ResponsesRequest: responsesRequest,
  ResponsesResponse: responsesResponse,
  RotateApiKeyRequest: rotateApiKeyBody,
  Service: serviceRecord,
  Session: sessionRecord,
  SessionList: sessionList,
  SpendCodeRequest: spendCodeBody,
  Statement: statementRecord,
  StatementList: statementList,
  StripeEvent: stripeEvent,
  TokenCount: tokenCount,
  Transaction: transactionRecord,
  TransactionList: transactionList,
  UpdateAccountRequest: updateAccountBody,
  UpdateApiKeyRequest: updateApiKeyBody,
  UpdateBillingDetailsRequest: updateBillingDetailsBody,
  UpdateWebhookRequest: updateWebhookBody,
  UsageByApiKey: usageByApiKey,
  UsageByModel: usageByModel,
  UsageList: usageList,
  UsageRecord: usageRecord,
  UsageSummary: usageSummary,
  UsageTotals: usageTotals,
  Webhook: webhookRecord,
  WebhookDelivery: webhookDelivery,
  WebhookDeliveryList: webhookDeliveryList,
  WebhookList: webhookList,
  WebhookReceipt: webhookReceipt,
  WebhookTest: webhookTest,
  WebhookWithSecret: webhookWithSecret,
};

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(NAMED_SCHEMAS)) registry.add(schema, { id });

/**
 * The wire format is the input of a schema: of a request before it is parsed into times and amounts, and of a
 * response as a client gets it. Hence `input` for both.
 */
const SETTINGS = { target: 'draft-2020-12', io: 'input' } as const;

/** `components/schemas` of the contracts. */
export function contractSchemas(): JsonObject {
  const { schemas } = z.toJSONSchema(registry, { ...SETTINGS, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, toWire(schema as Json)]));
}

/** The reference to a schema of the contracts. Throws if it has no name in `NAMED_SCHEMAS`. */
export function schemaReference(schema: z.ZodType): JsonObject {
  const id = registry.get(schema)?.id;
  if (id === undefined) throw new Error('a schema of a body has no name in NAMED_SCHEMAS');
  return { $ref: `#/components/schemas/${id}` };
}

/** The fields of a schema of query parameters. */
export function queryFields(query: z.ZodType): { name: string; schema: JsonObject; isRequired: boolean }[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, SETTINGS);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: toWire(schema as Json) as JsonObject,
    isRequired: required.includes(name),
  }));
}

const NOISE = new Set(['$schema', '$id']);
const INTEGER_BOUNDS: readonly unknown[] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/**
 * A schema without the parts that have no meaning for a reader. If the contract gives the wire format with `x-wire`,
 * that replaces the derived one: a query parameter is text to zod, and a whole number to its sender.
 */
function toWire(value: Json): Json {
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== 'object' || value === null) return value;
  const { 'x-wire': wire, ...rest } = value;
  if (typeof wire === 'object') {
    const { description } = rest;
    return { ...(wire as JsonObject), ...(description === undefined ? {} : { description }) };
  }
  if (Array.isArray(rest.oneOf) && rest.oneOf.length === 1) return toWire(rest.oneOf[0] ?? null);
  return Object.fromEntries(
    Object.entries(rest)
      .filter(([name, member]) => !NOISE.has(name) && !isIntegerBound(name, member))
      .map(([name, member]) => [name, member === undefined ? undefined : toWire(member)]),
  );
}

function isIntegerBound(name: string, member: unknown): boolean {
  return (name === 'minimum' || name === 'maximum') && INTEGER_BOUNDS.includes(member);
}
