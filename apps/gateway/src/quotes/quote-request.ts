import { costOf } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import type { Quote, QuoteRequest } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { Caller } from '../identity/api-keys';
import { REFUSED, RefusalError, toStoreError, type Precondition } from '../refusals';
import type { AskLedger } from '../paid/no-room';
import type { QuotedRequest } from '../paid/terms';

/** The maximum and likely cost of a request, and whether its account can pay it now. */
export interface RequestQuote extends QuotedRequest {
  costs: { outputTokens: number; costNano: NanoUsd }[];
  quote: Quote;
}

/** Shares of the largest output to price if the request names no lengths. */
const STEPS = [0.25, 0.5, 1];

/**
 * The decision that an admission would make now, with the cost of the request. Throws refusals that concern
 * neither a limit nor the balance, and `service_unavailable` if the database cannot answer now.
 */
export async function quoteRequest(
  askLedger: AskLedger,
  caller: Caller,
  request: QuotedRequest,
  lengths: readonly number[] | undefined,
): Promise<RequestQuote> {
  const { accountId, apiKeyId, version, cohortName } = caller;
  const { model, maxOutputTokens, choices, maximumCostNano, countedCostNano, images } = request;
  const { mostTokens, countedTokens = mostTokens } = request;
  const isLess =
    countedCostNano !== undefined && (countedCostNano < maximumCostNano || countedTokens < mostTokens);
  const promptTokens = request.promptTokensCounted ?? request.promptTokensBound;
  const steps = [...new Set(STEPS.map((share) => Math.ceil(maxOutputTokens * share)))];
  const outputs = maxOutputTokens === 0 ? [0] : (lengths ?? steps);
  return {
    ...request,
    costs: outputs
      .map((tokens) => Math.min(tokens, maxOutputTokens))
      .map((outputTokens) => ({
        outputTokens,
        costNano: costOf(model.price, { promptTokens, completionTokens: outputTokens * choices, images }),
      })),
    quote: await ask(askLedger, {
      ...{ accountId, apiKeyId, apiKeyVersion: version, cohortName },
      amountsNano: isLess ? [maximumCostNano, countedCostNano] : [maximumCostNano],
      model: { id: model.id, mostTokens: isLess ? [mostTokens, countedTokens] : [mostTokens] },
    }),
  };
}

/** Refusals that concern the caller, not a limit. */
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
  // The key has changed since its look-up a moment ago.
  if (code === undefined) throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
  if (precondition !== undefined && OF_THE_CALLER.has(precondition))
    throw new RefusalError(precondition, code);
  return quote;
}
