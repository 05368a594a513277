import { toUnixSeconds, type UsageRecord } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import type { UsageRecord as Charged } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import type { CsvColumn } from '../csv';

/** A charged request as its account sees it. */
export function toUsageRecord(charged: Charged): UsageRecord {
  return {
    object: 'usage',
    id: toPublicId('chatcmpl', charged.id),
    request_id: charged.requestId,
    model: charged.modelId,
    key_public_id: toPublicId('key', charged.apiKeyId),
    prompt_tokens: charged.promptTokens,
    completion_tokens: charged.completionTokens,
    total_tokens: charged.promptTokens + charged.completionTokens,
    cost: toDecimalUsd(charged.costNano),
    currency: 'usd',
    outcome: charged.outcome,
    streamed: charged.streamed,
    estimated: charged.estimated,
    latency_ms: charged.latencyMs,
    first_token_ms: charged.firstTokenMs,
    created_at: toUnixSeconds(charged.createdAt),
  };
}

const COLUMN_NAMES = [
  ...(['id', 'created_at', 'request_id', 'model', 'key_public_id'] as const),
  ...(['prompt_tokens', 'completion_tokens', 'total_tokens', 'cost', 'currency'] as const),
  ...(['outcome', 'streamed', 'estimated', 'latency_ms', 'first_token_ms'] as const),
];

export const REQUEST_COLUMNS: readonly CsvColumn<UsageRecord>[] = COLUMN_NAMES.map((name) => ({
  name,
  valueOf: (row) => row[name],
}));
