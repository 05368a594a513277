import { priceOfTokens, roundUpToNano, type NanoUsd, type PicoUsd } from '@farebox/money';

/** In pico-dollars a token. A kind without a price of its own has the price of the tokens that it is a part of. */
export interface TokenPrices {
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
  /** Of prompt tokens that the upstream read from its cache. */
  cachedInputPricePico?: PicoUsd | undefined;
  /** Of prompt tokens that the upstream wrote to its cache. */
  cacheWritePricePico?: PicoUsd | undefined;
  reasoningPricePico?: PicoUsd | undefined;
}

/** The prices of a whole request whose prompt is longer than this. */
export interface PriceStep extends TokenPrices {
  abovePromptTokens: number;
}

export interface Price extends TokenPrices {
  /** In pico-dollars, of each image of the prompt, beside its tokens. */
  imagePricePico?: PicoUsd | undefined;
  /** In pico-dollars, of each request that is charged. */
  requestPricePico?: PicoUsd | undefined;
  /** From the shortest prompt to the longest. */
  steps?: readonly PriceStep[] | undefined;
}

export interface PriceVersion extends Price {
  id: string;
}

/** What is not there was not reported. */
export interface TokenUsage {
  /** With those that were read from a cache or written to one. */
  promptTokens: number;
  /** With those of reasoning. */
  completionTokens: number;
  cachedTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  reasoningTokens?: number | undefined;
}

/** What a request is charged for. */
export interface PricedUsage extends TokenUsage {
  /** Images of the prompt. */
  images?: number | undefined;
}

export type CostKind =
  'input' | 'cached_input' | 'cache_write' | 'output' | 'reasoning' | 'image' | 'request';

/** So many of a kind, at a price. Together the lines of a usage are its cost, which is rounded up once. */
export interface CostLine {
  kind: CostKind;
  count: number;
  pricePico: PicoUsd;
}

/** What a usage is charged for, kind by kind; only kinds of which there is any. */
export function costLines(price: Price, usage: PricedUsage): CostLine[] {
  const { promptTokens, completionTokens, images = 0 } = usage;
  const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const of = pricesAt(price, promptTokens);
  const lines: CostLine[] = [];
  // On the way of every request, several times: nothing is made for kinds of which there is none.
  const add = (kind: CostKind, count: number, pricePico: PicoUsd | undefined): void => {
    if (count > 0 && pricePico !== undefined) lines.push({ kind, count, pricePico });
  };
  add('input', promptTokens - cachedTokens - cacheWriteTokens, of.inputPricePico);
  add('cached_input', cachedTokens, of.cachedInputPricePico ?? of.inputPricePico);
  add('cache_write', cacheWriteTokens, of.cacheWritePricePico ?? of.inputPricePico);
  add('output', completionTokens - reasoningTokens, of.outputPricePico);
  add('reasoning', reasoningTokens, of.reasoningPricePico ?? of.outputPricePico);
  add('image', images, price.imagePricePico);
  add('request', 1, price.requestPricePico);
  return lines;
}

/** What a usage costs, rounded up to a whole nano-dollar once, at the end. */
export function costOf(price: Price, usage: PricedUsage): NanoUsd {
  let sum = 0n;
  for (const { count, pricePico } of costLines(price, usage)) sum += priceOfTokens(count, pricePico);
  return roundUpToNano(sum);
}

function pricedPico(count: number, pricePico: PicoUsd | undefined): bigint {
  return count > 0 && pricePico !== undefined ? priceOfTokens(count, pricePico) : 0n;
}

/** The prices of the highest step that a prompt is over. */
function pricesAt(price: Price, promptTokens: number): TokenPrices {
  return price.steps?.findLast((step) => promptTokens > step.abovePromptTokens) ?? price;
}

interface RequestBounds {
  /** Never under the true count of the prompt's tokens. */
  promptTokensBound: number;
  /** Output tokens of one choice, as sent upstream. */
  maxOutputTokens: number;
  /** Number of choices. */
  n: number;
  /** Images of the prompt. */
  images?: number | undefined;
}

/**
 * The most that a request can cost: each token of the dearest kind, at the dearest step that the prompt can reach. A
 * step may be cheaper than the one before, so that a shorter prompt costs more. Source: docs/decisions.md.
 */
export function maximumCost(price: Price, bounds: RequestBounds): NanoUsd {
  const { promptTokensBound, maxOutputTokens, n, images = 0 } = bounds;
  const steps = price.steps ?? [];
  const longest = [...steps.map((step) => step.abovePromptTokens), promptTokensBound];
  const reachable = [price, ...steps.filter((step) => promptTokensBound > step.abovePromptTokens)];
  const costs = reachable.map((prices, i) => {
    const promptTokens = Math.min(longest[i] ?? promptTokensBound, promptTokensBound);
    return (
      priceOfTokens(promptTokens, dearestInput(prices)) +
      priceOfTokens(maxOutputTokens * n, dearest(prices.outputPricePico, prices.reasoningPricePico))
    );
  });
  const others = pricedPico(images, price.imagePricePico) + pricedPico(1, price.requestPricePico);
  return roundUpToNano(costs.reduce((most, cost) => (cost > most ? cost : most)) + others);
}

function dearestInput({ inputPricePico, cachedInputPricePico, cacheWritePricePico }: TokenPrices): PicoUsd {
  return dearest(dearest(inputPricePico, cachedInputPricePico), cacheWritePricePico);
}

function dearest(price: PicoUsd, other: PicoUsd | undefined): PicoUsd {
  return other !== undefined && other > price ? other : price;
}
