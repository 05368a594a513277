export {
  accountModelList,
  type AccountModelList,
  accountRecord,
  type AccountRecord,
  modelTerms,
  serviceRecord,
  type ServiceRecord,
  toModelTerms,
  updateAccountBody,
} from './account';
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
} from './api-keys';
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
  type FundingList,
  type FundingMethod,
  type FundingRecord,
  type InvoiceRecord,
  type InvoiceSummary,
  type TransactionRecord,
} from './billing';
export { imageHostOf } from './chat-messages';
export {
  chatCompletionRequest,
  findUnknownFields,
  FORWARDED_FIELDS,
  type ChatCompletionRequest,
} from './chat-request';
export {
  chatCompletion,
  chatCompletionChunk,
  type ChatCompletion,
  type ChatCompletionChunk,
  type CompletionUsage,
  type FinishReason,
  type Logprobs,
  type ReasoningDetail,
  type ToolCall,
  type UrlCitation,
  model,
  modelList,
  type ModelList,
} from './chat-response';
export {
  deviceList,
  deviceRecord,
  deviceSession,
  listDevicesQuery,
  registerDeviceBody,
  renameDeviceBody,
  type DeviceRecord,
  type DeviceSession,
} from './devices';
export {
  embeddingsList,
  embeddingsRequest,
  findUnknownEmbeddingsFields,
  type EmbeddingsInput,
  type EmbeddingsRequest,
} from './embeddings';
export { timeFilter, toUnixSeconds } from './fields';
export { toListPage, type ListPage } from './list-page';
export {
  countTokensRequest,
  findUnknownMessagesFields,
  isCustomTool,
  messagesRequest,
  type CountTokensRequest,
  type CustomTool,
  type MessagesRequest,
} from './messages-request';
export type { AssistantBlock, ConversationMessage, UserBlock } from './messages-blocks';
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
} from './messages-response';
export {
  findFieldsBeside,
  MOST_IGNORED_NAMES,
  parseBody,
  parseQuery,
  type UnknownFields,
} from './describe-issue';
export {
  isServedItem,
  type ResponsesAssistantContent,
  type ResponsesContent,
  type ServedItem,
} from './responses-input';
export { RESPONSES_FIELDS, responsesRequest, type ResponsesRequest } from './responses-request';
export {
  responsesEvent,
  responsesResponse,
  type ResponsesEvent,
  type ResponsesCitation,
  type ResponsesLogprobs,
  type ResponsesOutputItem,
  type ResponsesResponse,
  type ResponsesUsage,
} from './responses-response';
export { allTools, isHosted, servedTools, type ServedTool } from './responses-tools';
export {
  emailAddress,
  linkRequest,
  requestLinkBody,
  createSessionBody,
  endedSessions,
  listSessionsQuery,
  newSession,
  sessionList,
  sessionRecord,
  type LinkRequest,
  type EndedSessions,
  type NewSession,
  type SessionRecord,
} from './sign-in';
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
} from './usage';
export { receipt, type Receipt, type ReceiptCostLine } from './receipts';
export { quote, quoteQuery, QUOTED_WIRES, type QuoteRecord } from './quotes';
