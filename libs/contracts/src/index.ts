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
  type CreateApiKeyBody,
  type ListApiKeysQuery,
  type RotateApiKeyBody,
} from './api-keys/api-key-requests';
export { balanceRecord, type BalanceRecord } from './billing/balance';
export {
  listTransactionsQuery,
  transactionList,
  transactionRecord,
  type ListTransactionsQuery,
  type TransactionRecord,
} from './billing/transactions';
export { listPage, pageParameters, toListPage, type ListPage } from './list-page';
export { currency, positiveUsdAmount, usdAmount } from './money';
export { parseBody, parseQuery } from './parse-request';
export { fromUnixSeconds, timeFromUnixSeconds, toUnixSeconds, unixSeconds } from './time';
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
