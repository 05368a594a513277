import {
  BILL_PLACES,
  plus,
  readAmount,
  readCount,
  readDay,
  readUnixDay,
  requireDollars,
  type BilledLine,
  type Field,
} from './billed';
import { readOpenAiTokens, requireModel, toOpenAiModel } from './csv-bills';

/** A record of a provider's JSON and its place in the text, for a person. */
export interface JsonRecord {
  place: string;
  /** Undefined for a record without usage. Throws `BillError`. */
  read: () => BilledLine | undefined;
}

/**
 * The records of a page that a provider's API returned, or of a list of such pages; undefined if it is none. Numbers
 * are texts, see `quoteNumbers`. Sources:
 * OpenAI: https://platform.openai.com/docs/api-reference/usage (`bucket_width=1d`, `group_by=model,api_key_id`) and
 * `/costs` (`group_by=line_item`). Anthropic: https://platform.claude.com/docs/en/api/admin/usage_report and
 * `/cost_report` (`group_by[]=description`), whose amounts are cents. OpenRouter:
 * https://openrouter.ai/docs/client-sdks/typescript/models/activityitem.
 */
export function recordsOf(document: unknown): JsonRecord[] | undefined {
  const pages = Array.isArray(document) ? document : [document];
  const records: JsonRecord[] = [];
  for (const [at, page] of pages.entries()) {
    const data = isObject(page) ? page['data'] : undefined;
    if (!Array.isArray(data)) return undefined;
    const where = pages.length === 1 ? 'data' : `[${String(at)}].data`;
    for (const [i, entry] of data.entries()) {
      const found = isObject(entry) ? recordsIn(entry, `${where}[${String(i)}]`) : undefined;
      if (!found) return undefined;
      records.push(...found);
    }
  }
  return records;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function recordsIn(entry: Json, place: string): JsonRecord[] | undefined {
  const { results } = entry;
  if (!Array.isArray(results))
    return 'date' in entry && 'model' in entry
      ? [{ place, read: () => readOpenRouter(fieldOf(entry)) }]
      : undefined;
  const read = 'start_time' in entry ? readOpenAi : 'starting_at' in entry ? readAnthropic : undefined;
  if (!read) return undefined;
  return results.map((result, i) => ({
    place: `${place}.results[${String(i)}]`,
    read: () => (isObject(result) ? read(fieldOf(entry), fieldOf(result)) : undefined),
  }));
}

/** Nested fields by their path: `amount.value`. */
function fieldOf(record: Json): Field {
  return (path) => {
    const value = path
      .split('.')
      .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), record);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
}

function readOpenAi(bucket: Field, result: Field): BilledLine {
  const day = readUnixDay(bucket, 'start_time');
  const key = result('api_key_id');
  if (result('object') !== 'organization.costs.result')
    return { day, model: requireModel(result, 'model'), key, ...readOpenAiTokens(result) };
  requireDollars(result, 'amount.currency');
  const model = toOpenAiModel(requireModel(result, 'line_item'));
  return { day, model, key, cost: readAmount(result, 'amount.value') };
}

const PLACES_OF_CENTS = BILL_PLACES - 2;

function readAnthropic(bucket: Field, result: Field): BilledLine {
  const day = readDay(bucket, 'starting_at');
  if (result('amount') !== undefined) {
    requireDollars(result, 'currency');
    const model = result('model') ?? result('cost_type');
    return {
      day,
      model: model ?? requireModel(result, 'description'),
      cost: readAmount(result, 'amount', PLACES_OF_CENTS),
    };
  }
  const cachedTokens = readCount(result, 'cache_read_input_tokens');
  const cacheWriteTokens = plus(
    readCount(result, 'cache_creation.ephemeral_5m_input_tokens'),
    readCount(result, 'cache_creation.ephemeral_1h_input_tokens'),
  );
  return {
    ...{ day, model: requireModel(result, 'model'), key: result('api_key_id') },
    promptTokens: plus(readCount(result, 'uncached_input_tokens'), cachedTokens, cacheWriteTokens),
    ...{ cachedTokens, cacheWriteTokens, completionTokens: readCount(result, 'output_tokens') },
  };
}

/** `usage` is paid to OpenRouter; inference on the operator's own key is paid elsewhere. */
function readOpenRouter(item: Field): BilledLine {
  return {
    ...{
      day: readDay(item, 'date'),
      model: requireModel(item, 'model'),
      requests: readCount(item, 'requests'),
    },
    promptTokens: readCount(item, 'prompt_tokens'),
    completionTokens: readCount(item, 'completion_tokens'),
    cost: readAmount(item, 'usage'),
  };
}
