import {
  BillError,
  plus,
  readAmount,
  readCount,
  readDay,
  readUnixDay,
  requireDollars,
  requireField,
  type BilledLine,
  type Field,
} from './billed';

/** A CSV export of one provider. */
export interface CsvBill {
  name: string;
  /** Columns, in lower case, by which the export is recognised. */
  columns: readonly string[];
  /** Undefined for a line without usage. Throws `BillError`. */
  read: (field: Field) => BilledLine | undefined;
}

/**
 * The exports that are recognised, the most specific first. Sources:
 * OpenAI's dashboard exports the fields of its API, see `json-bills.ts`, with `amount_value` and `amount_currency`.
 * Anthropic's console: https://support.claude.com/en/articles/9534590-cost-and-usage-reporting-in-the-claude-console
 * (columns as in exports of 2026). Azure: https://learn.microsoft.com/en-us/azure/cost-management-billing/dataset-schema/schema-index
 * (EA and MCA differ in the case of names). OpenRouter: https://openrouter.ai/docs/guides/guides/activity-export, a
 * line for each generation, times in UTC.
 */
export const CSV_BILLS: readonly CsvBill[] = [
  {
    name: 'OpenAI usage',
    columns: ['start_time', 'num_model_requests', 'model', 'input_tokens'],
    read: (field) =>
      isEmpty(field, ['num_model_requests', 'input_tokens', 'output_tokens'])
        ? undefined
        : {
            day: readUnixDay(field, 'start_time'),
            model: requireModel(field, 'model'),
            key: field('api_key_id'),
            ...readOpenAiTokens(field),
          },
  },
  {
    name: 'OpenAI costs',
    columns: ['start_time', 'amount_value', 'line_item'],
    read: (field) => {
      if (isEmpty(field, ['amount_value'])) return undefined;
      requireDollars(field, 'amount_currency');
      const day = readUnixDay(field, 'start_time');
      const model = toOpenAiModel(requireModel(field, 'line_item'));
      return { day, model, key: field('api_key_id'), cost: readAmount(field, 'amount_value') };
    },
  },
  {
    name: 'Anthropic usage',
    columns: ['usage_date_utc', 'model_version', 'usage_input_tokens_no_cache', 'usage_output_tokens'],
    read: (field) => {
      const cachedTokens = readCount(field, 'usage_input_tokens_cache_read');
      const cacheWriteTokens = plus(
        readCount(field, 'usage_input_tokens_cache_write_5m'),
        readCount(field, 'usage_input_tokens_cache_write_1h'),
      );
      return {
        day: readDay(field, 'usage_date_utc'),
        model: requireModel(field, 'model_version'),
        key: field('api_key'),
        promptTokens: plus(readCount(field, 'usage_input_tokens_no_cache'), cachedTokens, cacheWriteTokens),
        ...{ cachedTokens, cacheWriteTokens, completionTokens: readCount(field, 'usage_output_tokens') },
      };
    },
  },
  {
    name: 'Anthropic costs',
    columns: ['usage_date_utc', 'model', 'token_type', 'cost_usd'],
    read: (field) => ({
      day: readDay(field, 'usage_date_utc'),
      model: field('model') ?? field('cost_type') ?? 'other',
      key: field('api_key'),
      cost: readAmount(field, 'cost_usd'),
    }),
  },
  {
    name: 'OpenRouter activity',
    columns: ['generation_id', 'created_at', 'cost_total', 'model_permaslug'],
    read: (field) => ({
      day: readDay(field, 'created_at'),
      model: requireField(field, 'model_permaslug'),
      ...{ key: field('api_key_name'), requests: 1 },
      promptTokens: readCount(field, 'tokens_prompt'),
      cachedTokens: readCount(field, 'tokens_cached'),
      completionTokens: readCount(field, 'tokens_completion'),
      cost: readAmount(field, 'cost_total'),
    }),
  },
  {
    name: 'Azure cost details',
    columns: ['date', 'metername', 'quantity', 'unitofmeasure'],
    read: readAzureLine,
  },
  {
    name: 'CSV',
    columns: ['day', 'model'],
    read: (field) => ({
      day: readDay(field, 'day'),
      model: requireField(field, 'model'),
      ...{ key: field('key'), upstream: field('upstream'), requests: readCount(field, 'requests') },
      promptTokens: readCount(field, 'prompt_tokens'),
      cachedTokens: readCount(field, 'cached_tokens'),
      cacheWriteTokens: readCount(field, 'cache_write_tokens'),
      completionTokens: readCount(field, 'completion_tokens'),
      cost: readAmount(field, 'cost'),
    }),
  },
];

const isEmpty = (field: Field, names: readonly string[]): boolean =>
  names.every((name) => (field(name) ?? '0') === '0');

/** Throws `BillError` for usage of all models together. */
export function requireModel(field: Field, name: string): string {
  const model = field(name);
  if (model === undefined) throw new BillError(`it names no model: export it grouped by ${name}`);
  return model;
}

/** The fields of OpenAI's usage, in the API and in the dashboard's export. */
export function readOpenAiTokens(field: Field) {
  return {
    requests: readCount(field, 'num_model_requests'),
    promptTokens: readCount(field, 'input_tokens'),
    cachedTokens: readCount(field, 'input_cached_tokens'),
    cacheWriteTokens: readCount(field, 'input_cache_write_tokens'),
    completionTokens: readCount(field, 'output_tokens'),
  };
}

/** `gpt-5.5-2026-04-23, cached input` and `priority | gpt-5.5, output, long context` are lines of one model. */
export function toOpenAiModel(lineItem: string): string {
  const name = lineItem.replace(/^[^|]*\| */, '');
  return name.replace(/, (?:cached )?(?:input|output)\b.*$/, '').replace(/ (?:text|audio|image)$/, '');
}

const UNITS: Readonly<Record<string, number>> = { '1': 1, '1k': 1_000, '1m': 1_000_000 };
/** Words of a meter's name that are not of its model's. */
const METER_WORDS = new Set(
  'inp input outp opt output outpt cached cchd cd glbl gl global regnl regional dz dzone dzn data zone 1k 1m tokens token'.split(
    ' ',
  ),
);

/** A meter counts one kind of tokens of one model: `gpt 4o 1120 cached Inp glbl Tokens`. Throws `BillError`. */
function readAzureLine(field: Field): BilledLine | undefined {
  const meter = requireField(field, 'metername');
  const words = meter.toLowerCase().split(/[\s-]+/);
  const isOutput = words.some((word) => /^o(?:utp|pt|utput|utpt)$/.test(word));
  const isInput = words.some((word) => /^inp(?:ut)?$/.test(word));
  // A resource has other meters: storage, fine-tuning, hosting.
  if (isInput === isOutput) return undefined;
  const [, unit = ''] = /^(1[km]?)\b/i.exec(requireField(field, 'unitofmeasure')) ?? [];
  const tokensPerUnit = UNITS[unit.toLowerCase()];
  if (tokensPerUnit === undefined)
    throw new BillError(`unitOfMeasure is not a number of tokens: ${field('unitofmeasure') ?? ''}`);
  const tokens = readTokens(field, tokensPerUnit);
  const isCached = words.some((word) => /^(?:cached|cchd|cd)$/.test(word));
  if (field('costinusd') === undefined)
    requireDollars(field, field('billingcurrency') === undefined ? 'billingcurrencycode' : 'billingcurrency');
  return {
    day: readDay(field, 'date'),
    model: meter
      .split(/\s+/)
      .filter((word) => !METER_WORDS.has(word.toLowerCase()))
      .join(' '),
    key: field('resourceid')?.split('/').at(-1) ?? field('resourcename'),
    ...(isOutput
      ? { completionTokens: tokens }
      : { promptTokens: tokens, cachedTokens: isCached ? tokens : 0 }),
    cost: readAmount(field, field('costinusd') === undefined ? 'costinbillingcurrency' : 'costinusd'),
  };
}

function readTokens(field: Field, tokensPerUnit: number): number {
  const millionths = readAmount(field, 'quantity', 6);
  if (millionths === undefined || millionths < 0n) throw new BillError('quantity is missing');
  const tokens = millionths * BigInt(tokensPerUnit);
  return Number((tokens + 500_000n) / 1_000_000n);
}
