export { toCsvLines, type CsvValue } from './csv-lines';
export { accountEvent, type AccountEvent, accountEventList, listAccountEventsQuery } from './account/events';
export {
  accountLimitList,
  type AccountLimitList,
  accountModelList,
  type AccountModelList,
  accountRecord,
  type AccountRecord,
  updateAccountBody,
} from './account/schema';
export {
  apiKeyList,
  apiKeyRecord,
  apiKeyWithSecret,
  createApiKeyBody,
  listApiKeysQuery,
  rotateApiKeyBody,
  updateApiKeyBody,
  type ApiKeyRecord,
  type ApiKeyWithSecret,
} from './api-keys/schema';
export {
  balanceRecord,
  checkoutRecord,
  createCheckoutBody,
  fundingList,
  fundingRecord,
  getInvoiceQuery,
  listFundingQuery,
  invoiceList,
  invoiceRecord,
  invoiceSummary,
  isInvoiceNumber,
  listInvoicesQuery,
  listTransactionsQuery,
  transactionList,
  transactionRecord,
  type BalanceRecord,
  type CheckoutRecord,
  type CheckoutStatus,
  type FundingList,
  type FundingMethod,
  type FundingRecord,
  type InvoiceRecord,
  type InvoiceSummary,
  type TransactionRecord,
} from './billing/schema';
export {
  automaticTopUpRecord,
  cardSetupRecord,
  type AutomaticTopUpRecord,
  type CardSetupRecord,
} from './top-ups/schema';
export { imageHostOf, isImageData, messagePhase, type MessagePhase } from './chat/messages';
export {
  chatCompletionRequest,
  type ChatCompletionBody,
  type ChatCompletionRequest,
  type ChatPart,
  type ServedMessage,
  findUnknownFields,
  FORWARDED_FIELDS,
} from './chat/request';
export {
  chatCompletion,
  chatCompletionChunk,
  toldChatCompletion,
  toldChatCompletionChunk,
  type ChatCompletion,
  type ChatCompletionChunk,
  type CompletionUsage,
  type FinishReason,
  type Logprobs,
  type ReasoningDetail,
  type ToolCall,
  type UrlCitation,
} from './chat/response';
export {
  type ChatTool,
  type ChatToolChoice,
  type CustomChatTool,
  isServedChoice,
  isServedTool,
  nameOfTool,
} from './chat/tools';
export { checkSchemas } from './chat/schema-references';
export {
  findFieldsBeside,
  MOST_IGNORED_NAMES,
  parseBody,
  parseQuery,
  type UnknownFields,
} from './describe-issue';
export {
  deviceList,
  deviceRecord,
  type DeviceRecord,
  deviceSession,
  type DeviceSession,
  listDevicesQuery,
  registerDeviceBody,
  renameDeviceBody,
} from './devices/schema';
export {
  type BillingDetailsRecord,
  type BuyerRecord,
  countryCode,
  legalName,
  postalAddress,
  type SellerRecord,
  taxId,
} from './billing-details/schema';
export {
  embeddingsList,
  embeddingsRequest,
  findUnknownEmbeddingsFields,
  type EmbeddingsInput,
  type EmbeddingsRequest,
} from './embeddings/schema';
export {
  fromUnixSeconds,
  type ListPage,
  MOST_CSV_LINES,
  nameText,
  timeFilter,
  toListPage,
  toUnixSeconds,
} from './fields';
export {
  type AssistantBlock,
  type ConversationMessage,
  countTokensRequest,
  type CountTokensRequest,
  type CustomTool,
  findUnknownMessagesFields,
  isCustomTool,
  servedChoice,
  messagesRequest,
  type MessagesRequest,
  type UserBlock,
} from './messages/request';
export {
  createdMessage,
  type CreatedMessage,
  type MessageBlock,
  messageEvent,
  type MessageEvent,
  messagesError,
  type MessagesError,
  type MessagesErrorType,
  type MessageUsage,
  modelInfo,
  type ModelInfo,
  modelInfoPage,
  type ModelInfoPage,
  type StopReason,
  tokenCount,
  toMessagesError,
  type WebCitation,
} from './messages/response';
export {
  isReceiptNumber,
  paymentReceipt,
  paymentReceiptList,
  type PaymentReceiptRecord,
} from './payment-receipts/schema';
export { creditNote, creditNoteList, type CreditNoteRecord, isCreditNoteNumber } from './credit-notes/schema';
export type { LedgerProofRecord, LedgerRootRecord } from './ledger-roots/schema';
export { modelTerms, toModelTerms, toPricing, model, modelList, type ModelList } from './models/schema';
export { quote, QUOTED_WIRES, quoteQuery, type QuoteRecord } from './quotes/schema';
export { receipt, type Receipt, type ReceiptCostLine } from './receipts/schema';
export {
  isOwnSummary,
  isServedItem,
  OWN_SUMMARY,
  leftOutOf,
  namedItems,
  RESPONSES_FIELDS,
  type ResponsesAssistantContent,
  type ResponsesContent,
  type ResponsesOutput,
  responsesRequest,
  type ResponsesRequest,
  type ServedItem,
  resultsWithoutCall,
  toolsOf,
} from './responses/request';
export {
  responsesEvent,
  responsesCompaction,
  responsesResponse,
  type ResponsesEvent,
  type ResponsesCitation,
  type ResponsesLogprobs,
  type ResponsesOutputItem,
  type ResponsesResponse,
  type ResponsesUsage,
} from './responses/response';
export {
  allTools,
  clientTools,
  isHosted,
  servedToolChoice,
  servedTools,
  type ClientTool,
  type ServedTool,
} from './responses/tools';
export { serviceRecord, type ServiceRecord } from './service/schema';
export {
  createSessionBody,
  emailAddress,
  endedSessions,
  type EndedSessions,
  linkRequest,
  type LinkRequest,
  listSessionsQuery,
  newSession,
  type NewSession,
  requestLinkBody,
  sessionList,
  sessionRecord,
  type SessionRecord,
  spendCodeBody,
} from './sign-in/schema';
export { isMonth, statementList, statementRecord, type StatementRecord } from './statements/schema';
export {
  usageByApiKey,
  usageByModel,
  usageSummary,
  usageTotals,
  usageList,
  usageRecord,
  listUsageQuery,
  USAGE_FILTER_MESSAGES,
  usageByGroupQuery,
  usageSummaryQuery,
  type ApiKeyUsage,
  type ModelUsage,
  type UsageBucket,
  type UsageByApiKey,
  type UsageByModel,
  type UsageSummary,
  type UsageTotals,
  type UsageRecord,
} from './usage/schema';
export {
  isWebhookEventType,
  WEBHOOK_DATA,
  WEBHOOK_EVENT_TYPES,
  type WebhookData,
  type WebhookEventType,
  type WebhookPayload,
} from './webhooks/events';
export {
  webhookDelivery,
  webhookList,
  webhookRecord,
  webhookUrl,
  webhookWithSecret,
  type WebhookDelivery,
  type WebhookRecord,
  type WebhookTest,
  type WebhookWithSecret,
} from './webhooks/schema';
export { withParts } from './text-parts';
