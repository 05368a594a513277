import { priceOfTokens, roundUpToNano, type NanoUsd } from '@farebox/money';
import type { Price } from './catalog';

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

/** What tokens cost, rounded up to a whole nano-dollar once, at the end. */
export function costOf({ inputPricePico, outputPricePico }: Price, usage: TokenUsage): NanoUsd {
  return roundUpToNano(
    priceOfTokens(usage.promptTokens, inputPricePico) +
      priceOfTokens(usage.completionTokens, outputPricePico),
  );
}

export interface RequestBounds {
  /** Never under the true count of the prompt's tokens. */
  promptTokensBound: number;
  /** Output tokens of one choice, as sent upstream. */
  maxOutputTokens: number;
  /** Number of choices. */
  n: number;
}

/** The most that a request can cost. Source: decisions, "Chat completions". */
export function maximumCost(price: Price, { promptTokensBound, maxOutputTokens, n }: RequestBounds): NanoUsd {
  return costOf(price, { promptTokens: promptTokensBound, completionTokens: maxOutputTokens * n });
}

/** The limit of output tokens that is sent upstream, for each choice. */
export function outputTokensFor(
  model: { maxOutputTokens: number; defaultMaxOutputTokens: number | undefined },
  requested: number | undefined,
): number {
  return requested ?? model.defaultMaxOutputTokens ?? model.maxOutputTokens;
}
