export {
  apiKeyList,
  apiKeyRecord,
  apiKeyWithSecret,
  type ApiKeyRecord,
  type ApiKeyWithSecret,
} from './api-keys/api-key-record';
export {
  createApiKeyBody,
  listApiKeysQuery,
  rotateApiKeyBody,
  updateApiKeyBody,
  type CreateApiKeyBody,
  type ListApiKeysQuery,
  type RotateApiKeyBody,
  type UpdateApiKeyBody,
} from './api-keys/api-key-requests';
export { balanceRecord, type BalanceRecord } from './billing/balance';
export {
  checkoutRecord,
  createCheckoutBody,
  type CheckoutRecord,
  type CreateCheckoutBody,
} from './billing/checkouts';
export {
  fundingList,
  fundingMethod,
  fundingRecord,
  listFundingQuery,
  type FundingList,
  type FundingMethod,
  type FundingRecord,
  type ListFundingQuery,
} from './billing/funding';
export {
  invoiceLine,
  invoiceList,
  invoiceRecord,
  invoiceSummary,
  isInvoiceNumber,
  listInvoicesQuery,
  type InvoiceRecord,
  type InvoiceSummary,
  type ListInvoicesQuery,
} from './billing/invoices';
export {
  listTransactionsQuery,
  transactionList,
  transactionRecord,
  type ListTransactionsQuery,
  type TransactionRecord,
} from './billing/transactions';
export {
  deviceList,
  deviceRecord,
  deviceSession,
  type DeviceRecord,
  type DeviceSession,
} from './devices/device-record';
export {
  listDevicesQuery,
  registerDeviceBody,
  renameDeviceBody,
  type ListDevicesQuery,
  type RegisterDeviceBody,
  type RenameDeviceBody,
} from './devices/device-requests';
export { listPage, pageParameters, toListPage, type ListPage } from './list-page';
export { currency, positiveUsdAmount, usdAmount } from './money';
export { parseBody, parseQuery } from './parse-request';
export {
  endAfterStart,
  fromUnixSeconds,
  timeFilter,
  timeFromUnixSeconds,
  timeRangeParameters,
  toUnixSeconds,
  unixSeconds,
} from './time';
export { imageHostOf } from './chat-completions/content';
export {
  chatCompletionRequest,
  FORWARDED_FIELDS,
  type ChatCompletionRequest,
} from './chat-completions/request';
export {
  chatCompletion,
  chatCompletionChunk,
  type ChatCompletion,
  type ChatCompletionChunk,
  type CompletionUsage,
  type FinishReason,
  type Logprobs,
  type ToolCall,
} from './chat-completions/response';
export { modelList, type ModelList } from './models/response';
export { emailAddress } from './sign-in/email-address';
export { linkRequest, requestLinkBody, type LinkRequest, type RequestLinkBody } from './sign-in/links';
export {
  createSessionBody,
  endedSessions,
  listSessionsQuery,
  newSession,
  sessionList,
  sessionRecord,
  type CreateSessionBody,
  type EndedSessions,
  type ListSessionsQuery,
  type NewSession,
  type SessionRecord,
} from './sign-in/sessions';
export {
  apiKeyUsage,
  modelUsage,
  usageBucket,
  usageByApiKey,
  usageByModel,
  usageSummary,
  usageTotals,
  type ApiKeyUsage,
  type ModelUsage,
  type UsageBucket,
  type UsageByApiKey,
  type UsageByModel,
  type UsageSummary,
  type UsageTotals,
} from './usage/usage-report';
export { usageList, usageRecord, type UsageRecord } from './usage/usage-record';
export {
  listUsageQuery,
  USAGE_FILTER_MESSAGES,
  usageByGroupQuery,
  usageSummaryQuery,
  type ListUsageQuery,
  type UsageByGroupQuery,
  type UsageSummaryQuery,
} from './usage/usage-requests';
