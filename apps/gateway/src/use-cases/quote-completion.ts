import { boundPrompt, costOf, estimatePromptTokens } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import type { Quote, QuoteRequest } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { Caller } from '../identity/api-keys';
import { REFUSED, RefusalError, toStoreError, type Precondition } from '../refusals';
import type { TokenCounter } from '../token-counts/token-counter';
import { planByCount, type CompletionPlan } from './plan-completion';
import { countPrompt } from './prompt';
import type { AskLedger } from './refuse-room';

export interface QuoteDeps {
  counter: TokenCounter;
  askLedger: AskLedger;
}

/** What a request can cost and would cost, and whether there is room for it now. */
export interface CompletionQuote {
  plan: CompletionPlan;
  promptTokensBound: number;
  /** Undefined if the model has no tokenizer here, or there was no time for it. */
  promptTokensCounted: number | undefined;
  costs: { outputTokens: number; costNano: NanoUsd }[];
  quote: Quote;
}

/** Shares of the most output whose cost is told if no lengths are asked for. */
const STEPS = [0.25, 0.5, 1];

/**
 * What the admission of a planned completion would decide, and what the completion would cost. Throws what refuses it for
 * another reason than want of room, and `service_unavailable` if the database cannot answer now.
 */
export async function quoteCompletion(
  { counter, askLedger }: QuoteDeps,
  caller: Caller,
  plan: CompletionPlan,
  lengths: readonly number[] | undefined,
): Promise<CompletionQuote> {
  const { accountId, apiKeyId, version, cohortName } = caller;
  const { model, prompt, maxOutputTokens, choices, maximumCostNano, images } = plan;
  const count = await countPrompt(counter, plan, accountId);
  const counted = count && planByCount(plan, count).maximumCostNano;
  const isLess = counted !== undefined && counted < maximumCostNano;
  const promptTokensBound = boundPrompt(prompt, model).tokensBound;
  const promptTokensCounted = count && estimatePromptTokens(prompt, model, count);
  const promptTokens = promptTokensCounted ?? promptTokensBound;
  const outputs = lengths ?? [...new Set(STEPS.map((share) => Math.ceil(maxOutputTokens * share)))];
  return {
    plan,
    promptTokensBound,
    promptTokensCounted,
    costs: outputs
      .map((tokens) => Math.min(tokens, maxOutputTokens))
      .map((outputTokens) => ({
        outputTokens,
        costNano: costOf(model.price, { promptTokens, completionTokens: outputTokens * choices, images }),
      })),
    quote: await ask(askLedger, {
      ...{ accountId, apiKeyId, apiKeyVersion: version, cohortName },
      amountsNano: isLess ? [maximumCostNano, counted] : [maximumCostNano],
    }),
  };
}

/** Refusals that are not for want of room. */
const OF_THE_CALLER = new Set<Precondition | undefined>(['credential', 'invite']);

async function ask(askLedger: AskLedger, request: QuoteRequest): Promise<Quote> {
  let quote: Quote | undefined;
  try {
    quote = await askLedger(request);
  } catch (cause) {
    throw toStoreError(cause);
  }
  if (!quote) throw new RefusalError('credential', 'invalid_api_key');
  if (quote.outcome === 'admitted') return quote;
  const { precondition, code } = REFUSED[quote.outcome];
  // The key was changed since it was looked up, a moment ago.
  if (code === undefined) throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
  if (precondition !== undefined && OF_THE_CALLER.has(precondition))
    throw new RefusalError(precondition, code);
  return quote;
}
