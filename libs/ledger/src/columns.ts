/**
 * The items of a call as PostgreSQL takes them: arrays of the composite types in sql/types.sql. Every admission and
 * every end of a hold is encoded here; a test compares the columns with those of the types.
 */
import { byTokenColumn } from '@farebox/money';
import { toInt4, type Admission, type Settlement, type UsageRoute } from './hold';

type Value = string | number | bigint | boolean | Uint8Array | undefined;

/** The columns of a type, in order, each with an item's value. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => Value>>;

/** The columns of `ledger_admission`. */
export const ADMISSION_COLUMNS: Columns<Admission> = {
  hold_id: (admission) => admission.holdId,
  account_id: (admission) => admission.accountId,
  api_key_id: (admission) => admission.apiKeyId,
  api_key_version: (admission) => admission.apiKeyVersion,
  cohort_name: (admission) => admission.cohortName,
  amount_nano: (admission) => admission.amountNano,
  model_id: (admission) => admission.modelId,
  price_version_id: (admission) => admission.priceVersionId,
  request_id: (admission) => admission.requestId,
  idempotency_key: (admission) => admission.idempotency?.key,
  fingerprint: (admission) => admission.idempotency?.fingerprint,
  most_tokens: (admission) => toInt4(admission.mostTokens),
};

const NO_BYTES = new Uint8Array();

/** The columns of `ledger_settlement`. */
export const SETTLEMENT_COLUMNS: Columns<Settlement> = {
  hold_id: ({ holdId }) => holdId,
  account_id: ({ accountId }) => accountId,
  measured_cost_nano: ({ usage }) => usage?.measuredCostNano,
  prompt_tokens: ({ usage }) => usage?.promptTokens,
  completion_tokens: ({ usage }) => usage?.completionTokens,
  ...byTokenColumn(
    (kind) =>
      ({ usage }: Settlement) =>
        usage?.[kind],
  ),
  images: ({ usage }) => usage?.images,
  upstream_id: (settlement) => routeOf(settlement)?.upstreamId,
  upstream_model: (settlement) => routeOf(settlement)?.upstreamModel,
  // The operator's cost of an abandoned request, which nobody pays for.
  upstream_cost_nano: ({ usage, abandoned }) => abandoned?.costNano ?? usage?.route?.costNano,
  outcome: ({ usage, abandoned }) => (abandoned ? 'abandoned' : usage?.outcome),
  streamed: ({ usage }) => usage?.streamed,
  estimated: ({ usage }) => usage?.estimated,
  latency_ms: ({ usage }) => usage?.latencyMs,
  first_token_ms: ({ usage }) => usage?.firstTokenMs,
  // Empty: one that was written before.
  answer: ({ usage }) => (usage?.answer === 'staged' ? NO_BYTES : usage?.answer),
};

function routeOf({ usage, abandoned }: Settlement): UsageRoute | undefined {
  return abandoned ? abandoned.route : usage?.route;
}

/** A PostgreSQL array of the composite type with these columns. */
export function toArray<Item>(columns: Columns<Item>, items: readonly Item[]): string {
  const values = Object.values(columns);
  let text = '{';
  for (const item of items) {
    text += text === '{' ? '"(' : ',"(';
    for (let i = 0; i < values.length; i++) {
      if (i > 0) text += ',';
      text += toField(values[i]?.(item));
    }
    text += ')"';
  }
  return `${text}}`;
}

/** Matches a field that needs no quotes. */
const IS_PLAIN = /^[\w.:/-]+$/;

/** A field of a composite value in an array: quotes and backslashes are escaped for the one, and again for the other. */
function toField(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Uint8Array)
    return `\\\\\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
  if (typeof value !== 'string') return String(value);
  if (IS_PLAIN.test(value)) return value;
  return `\\"${value.replace(/["\\]/g, (special) => (special === '"' ? '\\\\\\"' : '\\\\\\\\'))}\\"`;
}
