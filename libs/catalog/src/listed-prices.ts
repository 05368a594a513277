import { scaleDecimal } from '@farebox/money';

/** The token prices of the catalogue that public lists have, by the names of the two lists. */
const LISTED_FIELDS = {
  input_price: { modelsDev: 'input', liteLlm: 'input_cost_per_token' },
  output_price: { modelsDev: 'output', liteLlm: 'output_cost_per_token' },
  cached_input_price: { modelsDev: 'cache_read', liteLlm: 'cache_read_input_token_cost' },
  cache_write_price: { modelsDev: 'cache_write', liteLlm: 'cache_creation_input_token_cost' },
  reasoning_price: { modelsDev: 'reasoning', liteLlm: 'output_cost_per_reasoning_token' },
} as const;
export type ListedField = keyof typeof LISTED_FIELDS;
const FIELDS = Object.entries(LISTED_FIELDS) as [ListedField, (typeof LISTED_FIELDS)[ListedField]][];

/** A price as a list has it: not yet known to be one. */
export interface ListedPrice {
  field: ListedField;
  /** Prompts longer than this; 0 for all others. */
  abovePromptTokens: number;
  /** As written in the list. */
  text: string;
  /** Pico-dollars per token; undefined if it is no number, or has more than six decimal places per million tokens. */
  pico: bigint | undefined;
}

/** A model of a public list. */
export interface ListedModel {
  provider: string;
  model: string;
  prices: ListedPrice[];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectsIn = (value: unknown): [string, Json][] =>
  isObject(value) ? Object.entries(value).filter((entry): entry is [string, Json] => isObject(entry[1])) : [];

/**
 * The models of a public list with token prices. Numbers must be texts, since prices must not pass through a float.
 * Empty if it is neither https://models.dev/api.json (dollars per million tokens) nor LiteLLM's
 * model_prices_and_context_window.json (dollars per token).
 */
export function readListedPrices(list: unknown): ListedModel[] {
  const entries = objectsIn(list);
  const isModelsDev = entries.some(([, provider]) => isObject(provider['models']));
  const models = isModelsDev
    ? entries.flatMap(([provider, { models: own }]) =>
        objectsIn(own).map(([model, { cost }]) => ({ provider, model, prices: pricesOfModelsDev(cost) })),
      )
    : entries.map(([name, model]) => toLiteLlmModel(name, model));
  return models.filter(({ prices }) => prices.length > 0);
}

const PLACES_PER_MILLION = 6;
const PLACES_PER_TOKEN = 12;

function toPrices(
  prices: Json,
  list: 'modelsDev' | 'liteLlm',
  { suffix = '', abovePromptTokens = 0 } = {},
): ListedPrice[] {
  const places = list === 'modelsDev' ? PLACES_PER_MILLION : PLACES_PER_TOKEN;
  return FIELDS.flatMap(([field, names]) => {
    const text = prices[names[list] + suffix];
    if (typeof text !== 'string') return [];
    const scaled = scaleDecimal(text, places);
    return [{ field, abovePromptTokens, text, pico: scaled?.isExact ? scaled.units : undefined }];
  });
}

const OVER_200K = 200_000;

/** The tiers of a context say more than the older field for one of them. */
function pricesOfModelsDev(cost: unknown): ListedPrice[] {
  if (!isObject(cost)) return [];
  const base = toPrices(cost, 'modelsDev');
  const { tiers, context_over_200k: older } = cost;
  if (!Array.isArray(tiers))
    return isObject(older)
      ? [...base, ...toPrices(older, 'modelsDev', { abovePromptTokens: OVER_200K })]
      : base;
  const steps = tiers.filter(isObject).flatMap((tier) => {
    const { type, size } = isObject(tier['tier']) ? tier['tier'] : {};
    const abovePromptTokens = type === 'context' ? Number(size) : 0;
    return abovePromptTokens > 0 ? toPrices(tier, 'modelsDev', { abovePromptTokens }) : [];
  });
  return [...base, ...steps];
}

const STEP_OF_LITELLM = /_above_(\d+)k_tokens$/;

/** `azure/gpt-4o` is the model `gpt-4o` of azure; `gpt-4o` that of its `litellm_provider`. */
function toLiteLlmModel(name: string, entry: Json): ListedModel {
  const { litellm_provider: given } = entry;
  const provider = typeof given === 'string' ? given : '';
  const suffixes = new Set(Object.keys(entry).flatMap((field) => STEP_OF_LITELLM.exec(field)?.[0] ?? []));
  const steps = [...suffixes].flatMap((suffix) => {
    const abovePromptTokens = Number(STEP_OF_LITELLM.exec(suffix)?.[1]) * 1_000;
    return toPrices(entry, 'liteLlm', { suffix, abovePromptTokens });
  });
  const model = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
  return { provider, model, prices: [...toPrices(entry, 'liteLlm'), ...steps] };
}

/** The names of a vendor's own service in the lists, by preset. */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = { gemini: ['google', 'gemini'], vllm: [] };

/** A route whose price is looked up. */
export interface WantedPrice {
  /** `listed_as` of the route. */
  listedAs: string | undefined;
  preset: string | undefined;
  upstreamModel: string;
}

type FoundPrice =
  | { outcome: 'found'; listed: ListedModel }
  | { outcome: 'missing' }
  /** Several providers offer it at different prices. */
  | { outcome: 'ambiguous'; providers: string[] };

/** Finds a route's model: by `listed_as`, at the vendor of its preset, or at all providers if their prices agree. */
export function findListed(models: readonly ListedModel[], wanted: WantedPrice): FoundPrice {
  const { listedAs, preset, upstreamModel } = wanted;
  const providers = preset === undefined ? undefined : (PROVIDERS[preset] ?? [preset]);
  const found = models.filter(({ provider, model }) =>
    listedAs === undefined
      ? model === upstreamModel && (providers === undefined || providers.includes(provider))
      : `${provider}/${model}` === listedAs || model === listedAs,
  );
  const exact = found.filter(({ provider, model }) => `${provider}/${model}` === listedAs);
  const [first, ...others] = exact.length > 0 ? exact : found;
  if (!first) return { outcome: 'missing' };
  const isSame = others.every(({ prices }) => toText(prices) === toText(first.prices));
  if (!isSame)
    return { outcome: 'ambiguous', providers: [first, ...others].map(({ provider }) => provider).sort() };
  return { outcome: 'found', listed: first };
}

const toText = (prices: readonly ListedPrice[]): string =>
  prices
    .map(({ field, abovePromptTokens, pico }) => `${field} ${String(abovePromptTokens)} ${String(pico)}`)
    .join();
