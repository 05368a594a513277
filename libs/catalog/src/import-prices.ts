import { isMap, parseDocument, type Document, type YAMLMap } from 'yaml';
import { findListed, type ListedField, type ListedModel, type ListedPrice } from './listed-prices';
import {
  entriesOf,
  flowMap,
  mapsIn,
  nameOf,
  pricesOf,
  textOf,
  toText,
  writePrices,
  type FilePrices,
} from './price-nodes';

/** A price that an import changes in the catalogue file. */
export interface PriceChange {
  model: string;
  /** `upstream/model` of a route whose cost it is; null for the price of the model itself. */
  route: string | null;
  field: string;
  before: string | null;
  after: string;
}

/** A route, or a model, whose prices stay as they are, and why: a clause. */
export interface PriceRefusal {
  model: string;
  route: string | null;
  reason: string;
}

export interface PriceImport {
  /** The file with the new prices, its comments kept. */
  text: string;
  changes: PriceChange[];
  refused: PriceRefusal[];
  /** Routes that the list does not have. */
  missing: PriceRefusal[];
}

/** An import sets the cost of each route, or the prices of models to those of their dearest route. */
export type ImportInto = { into: 'cost' } | { into: 'price'; markupPercent: bigint };

/** The most that a price may grow by an import. */
const MOST_GROWTH = 2n;

/**
 * Puts the prices of a public list into a catalogue file, which must be valid. All prices of a route are taken, or none:
 * one that is zero, negative, inexact or more than twice the former one refuses the others.
 */
export function importPrices(
  yamlText: string,
  list: readonly ListedModel[],
  options: ImportInto,
): PriceImport {
  const document = parseDocument(yamlText, { schema: 'failsafe' });
  const result: PriceImport = { text: yamlText, changes: [], refused: [], missing: [] };
  const presets = new Map(
    entriesOf(document, 'upstreams').map((one) => [textOf(one, 'id'), textOf(one, 'preset')]),
  );
  for (const model of entriesOf(document, 'models')) {
    const found = findRoutes(model, list, presets, result);
    if (options.into === 'cost') for (const one of found) putCost(document, model, one, result);
    else if (found.length > 0) putPrice(document, model, found, options.markupPercent, result);
  }
  if (result.changes.length > 0) result.text = document.toString({ lineWidth: 120 });
  return result;
}

interface FoundRoute {
  name: string;
  entry: YAMLMap;
  prices: readonly ListedPrice[];
}

function findRoutes(
  model: YAMLMap,
  list: readonly ListedModel[],
  presets: ReadonlyMap<string | undefined, string | undefined>,
  { refused, missing }: PriceImport,
): FoundRoute[] {
  const id = textOf(model, 'id') ?? '';
  const isEmbedding = textOf(model, 'kind') === 'embeddings';
  return mapsIn(model.get('routes')).flatMap((entry): FoundRoute[] => {
    const [upstream, upstreamModel = ''] = [textOf(entry, 'upstream'), textOf(entry, 'model')];
    const name = `${upstream ?? ''}/${upstreamModel}`;
    const found = findListed(list, {
      listedAs: textOf(entry, 'listed_as'),
      preset: presets.get(upstream),
      upstreamModel,
    });
    if (found.outcome === 'missing')
      missing.push({ model: id, route: name, reason: 'it is not in the list' });
    if (found.outcome === 'ambiguous')
      refused.push({
        ...{ model: id, route: name },
        reason: `its prices differ between ${found.providers.join(', ')}: say which with listed_as: ${found.providers[0] ?? ''}/${upstreamModel}`,
      });
    if (found.outcome !== 'found') return [];
    const prices = found.listed.prices.filter(({ field }) => !isEmbedding || field === 'input_price');
    return [{ name, entry, prices: isEmbedding ? [...prices, FREE_OUTPUT] : prices }];
  });
}

/** Embeddings have no output, and the cost of a route has a price of it. */
const FREE_OUTPUT: ListedPrice = { field: 'output_price', abovePromptTokens: 0, text: '', pico: 0n };

function putCost(
  document: Document,
  model: YAMLMap,
  { name, entry, prices }: FoundRoute,
  result: PriceImport,
): void {
  const id = textOf(model, 'id') ?? '';
  const cost = entry.get('cost');
  const before = pricesOf(isMap(cost) ? cost : undefined);
  const after = toPrices(prices);
  const problems = [...problemsOf(prices), ...growthOf(before, after)];
  if (problems.length > 0) {
    result.refused.push(...problems.map((reason) => ({ model: id, route: name, reason })));
    return;
  }
  const changes = changesOf(before, after).map((one) => ({ model: id, route: name, ...one }));
  if (changes.length === 0) return;
  if (!isMap(cost)) entry.set('cost', flowMap(document));
  writePrices(document, entry.get('cost') as YAMLMap, after);
  result.changes.push(...changes);
}

function putPrice(
  document: Document,
  model: YAMLMap,
  found: readonly FoundRoute[],
  markupPercent: bigint,
  result: PriceImport,
): void {
  const id = textOf(model, 'id') ?? '';
  const before = pricesOf(model);
  const isEmbedding = textOf(model, 'kind') === 'embeddings';
  const after = marked(dearest(found.map(({ prices }) => toPrices(prices))), markupPercent);
  if (isEmbedding) after.delete(nameOf('output_price', 0));
  const problems = [...found.flatMap(({ prices }) => problemsOf(prices)), ...growthOf(before, after)];
  if (problems.length > 0) {
    result.refused.push(...problems.map((reason) => ({ model: id, route: null, reason })));
    return;
  }
  const changes = changesOf(before, after).map((one) => ({ model: id, route: null, ...one }));
  if (changes.length === 0) return;
  writePrices(document, model, after);
  result.changes.push(...changes);
}

/** A step has every price: one that the list leaves out is that of shorter prompts. */
function toPrices(listed: readonly ListedPrice[]): FilePrices {
  const prices: FilePrices = new Map();
  const base = listed.filter(({ abovePromptTokens }) => abovePromptTokens === 0);
  for (const { field, pico = 0n } of base) prices.set(nameOf(field, 0), pico);
  for (const above of stepsOf(listed))
    for (const { field, pico } of base) {
      const step = listed.find((one) => one.abovePromptTokens === above && one.field === field);
      prices.set(nameOf(field, above), step?.pico ?? pico ?? 0n);
    }
  return prices;
}

function stepsOf(listed: readonly ListedPrice[]): number[] {
  const steps = new Set(listed.map(({ abovePromptTokens }) => abovePromptTokens));
  return [...steps].filter((above) => above > 0).sort((a, b) => a - b);
}

function problemsOf(listed: readonly ListedPrice[]): string[] {
  const required: ListedField[] = ['input_price', 'output_price'];
  const missing = required.filter(
    (wanted) => !listed.some(({ field, abovePromptTokens }) => field === wanted && abovePromptTokens === 0),
  );
  return [
    ...missing.map((field) => `the list has no ${field}`),
    ...listed.flatMap((price) => {
      const { field, abovePromptTokens, text, pico } = price;
      if (price === FREE_OUTPUT) return [];
      const name = nameOf(field, abovePromptTokens);
      if (pico === undefined)
        return [`${name} ${text} is not a price with at most six decimal places per million tokens`];
      if (pico === 0n) return [`${name} is zero`];
      return pico < 0n ? [`${name} ${text} is negative`] : [];
    }),
  ];
}

function growthOf(before: FilePrices, after: FilePrices): string[] {
  return [...after].flatMap(([name, price]) => {
    const former = before.get(name);
    if (former === undefined || price <= former * MOST_GROWTH) return [];
    return [`${name} would grow from ${toText(former)} to ${toText(price)}: more than twice`];
  });
}

function changesOf(before: FilePrices, after: FilePrices): Pick<PriceChange, 'field' | 'before' | 'after'>[] {
  return [...after].flatMap(([field, price]) => {
    const former = before.get(field);
    if (former === price) return [];
    return [{ field, before: former === undefined ? null : toText(former), after: toText(price) }];
  });
}

function dearest(all: readonly FilePrices[]): FilePrices {
  const most: FilePrices = new Map();
  for (const prices of all)
    for (const [name, price] of prices) if (price > (most.get(name) ?? -1n)) most.set(name, price);
  return most;
}

/** Rounded up to the sixth decimal place. */
function marked(prices: FilePrices, percent: bigint): FilePrices {
  return new Map([...prices].map(([name, price]) => [name, (price * (100n + percent) + 99n) / 100n]));
}
