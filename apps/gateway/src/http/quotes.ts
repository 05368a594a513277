import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  parseQuery,
  quoteQuery,
  toUnixSeconds,
  type QuoteRecord,
  type QUOTED_WIRES,
} from '@farebox/contracts';
import { readJsonBodyWithBytes, sendJson, type JsonBodyLimits } from '@farebox/http';
import type { Quote, SpendingLimit } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import type { LiveCatalog } from '../catalog/live-catalog';
import { requireInvite, requireLive, requireOrigin, type KeyDirectory } from '../identity/api-keys';
import type { RequestLimiter } from '../limiter/process-limiter';
import { nextUtcDay, nextUtcMonth, toRefusal } from '../refusals';
import { ignoredHeaders } from '../use-cases/paid-request';
import { planCompletion } from '../use-cases/plan-completion';
import { quoteCompletion, type CompletionQuote, type QuoteDeps } from '../use-cases/quote-completion';
import { chatWire } from './chat-completions/chat-wire';
import { messagesWire } from './messages/messages-wire';
import { responsesWire } from './responses/responses-wire';
import type { Wire } from './wire';

interface QuotesDeps extends QuoteDeps {
  keys: KeyDirectory;
  catalog: LiveCatalog;
  limiter: RequestLimiter;
  bodyLimits: JsonBodyLimits;
}

const WIRE_OF: Readonly<Record<(typeof QUOTED_WIRES)[number], Wire>> = {
  chat: chatWire,
  responses: responsesWire,
  messages: messagesWire,
};

/** `POST /v1/quotes`: free, and counted by the request limit like any other work. */
export async function handleQuote(
  deps: QuotesDeps,
  req: IncomingMessage & { query: Readonly<Record<string, unknown>> },
  res: ServerResponse,
): Promise<void> {
  // There is no hold here: the key is looked up in the database each time.
  const caller = requireInvite(
    requireOrigin(requireLive(await deps.keys.identifyNow(chatWire.readSecret(req))), req, res),
  );
  const { wire, output_tokens: lengths } = parseQuery(quoteQuery, req.query);
  const { value } = await readJsonBodyWithBytes(req, deps.bodyLimits);
  const plan = planCompletion(deps.catalog.current, caller, readBy(WIRE_OF[wire], value));
  const permit = await deps.limiter.take(caller.apiKeyId);
  try {
    const ignored = ignoredHeaders(plan.ignoredFields);
    for (const [name, text] of [...permit.headers, ...ignored]) res.setHeader(name, text);
    sendJson(res, 200, toRecord(await quoteCompletion(deps, caller, plan, lengths)));
  } finally {
    permit.release();
  }
}

function readBy(wire: Wire, value: unknown): ReturnType<Wire['read']> {
  try {
    return wire.read(value);
  } catch (error) {
    throw toRefusal('body', error);
  }
}

function toRecord({
  plan,
  promptTokensBound,
  promptTokensCounted,
  costs,
  quote,
}: CompletionQuote): QuoteRecord {
  const { model, maxOutputTokens, choices, maximumCostNano } = plan;
  const { balanceNano, heldNano, running, day, keyMonth, at } = quote;
  const nowMs = at.getTime();
  return {
    object: 'quote',
    model: model.id,
    currency: 'usd',
    maximum_cost: toDecimalUsd(maximumCostNano),
    hold: toDecimalUsd(quote.amountNano),
    prompt_tokens: { bound: promptTokensBound, counted: promptTokensCounted ?? null },
    max_output_tokens: maxOutputTokens,
    choices,
    costs: costs.map(({ outputTokens, costNano }) => ({
      output_tokens: outputTokens,
      cost: toDecimalUsd(costNano),
    })),
    binds: BINDS[quote.outcome] ?? null,
    limits: {
      balance: {
        balance: toDecimalUsd(balanceNano),
        held: toDecimalUsd(heldNano),
        left: toDecimalUsd(leftOf(balanceNano, heldNano)),
        running,
      },
      key_month: toSpending(keyMonth, nextUtcMonth(nowMs)),
      account_day: {
        ...spendingOf(day, day.mostNano, nextUtcDay(nowMs)),
        request_limit: day.mostRequests,
        requests: day.requests,
      },
    },
  };
}

/** What of a quote's outcomes is told as a limit; the others are told as errors. */
const BINDS: Readonly<Partial<Record<Quote['outcome'], NonNullable<QuoteRecord['binds']>>>> = {
  daily_request_cap: 'account_day_requests',
  daily_spend_cap: 'account_day',
  key_month_limit: 'key_month',
  insufficient_funds: 'balance',
};

function toSpending(limit: SpendingLimit, opensAtMs: number): QuoteRecord['limits']['key_month'] {
  return limit.mostNano === undefined ? null : spendingOf(limit, limit.mostNano, opensAtMs);
}

function spendingOf({ spentNano, heldNano }: SpendingLimit, mostNano: NanoUsd, opensAtMs: number) {
  return {
    limit: toDecimalUsd(mostNano),
    spent: toDecimalUsd(spentNano),
    held: toDecimalUsd(heldNano),
    left: toDecimalUsd(leftOf(mostNano, toNanoUsd(spentNano + heldNano))),
    opens_at: toUnixSeconds(new Date(opensAtMs)),
  };
}

/** A limit that was lowered may be passed by what is spent already. */
function leftOf(mostNano: NanoUsd, usedNano: NanoUsd): NanoUsd {
  return toNanoUsd(mostNano > usedNano ? mostNano - usedNano : 0n);
}
