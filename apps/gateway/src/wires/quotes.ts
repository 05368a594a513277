import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  checkSchemas,
  parseQuery,
  quoteQuery,
  toUnixSeconds,
  type QuoteRecord,
  type QUOTED_WIRES,
} from '@farebox/api';
import { Pace, type WrittenJson } from '@farebox/flow';
import { readJsonBodyWithBytes, sendJson, type BodyRoom, type JsonBodyLimits } from '@farebox/http';
import { leftOfLimit, type Quote, type SpendingLimit } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import type { LiveCatalog } from '../upstream/live-catalog';
import type { Caller } from '../identity/api-keys';
import type { TokenCounter } from '../tokens/token-counter';
import { findShownRefusing } from '../limiter/limit-policies';
import { leftOf, nextUtcDay, nextUtcMonth, refuseByKeyMonth, toRefusal } from '../refusals';
import { countEmbeddings, planEmbeddings } from '../embeddings/create-embeddings';
import { ignoredHeaders } from '../paid/paid-request';
import type { PaidPlan, QuotedRequest } from '../paid/terms';
import { countCompletion, planCompletion, planInTurns } from '../chat/plan-completion';
import { quoteRequest, type RequestQuote } from '../quotes/quote-request';
import type { FindItemsDeps } from '../paid/kept-items';
import type { AskLedger } from '../paid/no-room';
import { chatWire } from './chat/chat-wire';
import { MOST_VALUES_OF_EMBEDDINGS, readEmbeddings } from './embeddings/embeddings';
import { serveFree, type EntryDeps } from './entry';
import { messagesWire } from './messages/messages-wire';
import { withNamed } from './named-items';
import { responsesWire } from './responses/responses-wire';
import type { Wire } from './wire';

interface QuotesDeps extends EntryDeps, FindItemsDeps {
  counter: TokenCounter;
  askLedger: AskLedger;
  catalog: LiveCatalog;
  bodyLimits: JsonBodyLimits;
}

const WIRE_OF: Readonly<Record<Exclude<(typeof QUOTED_WIRES)[number], 'embeddings'>, Wire>> = {
  chat: chatWire,
  responses: responsesWire,
  messages: messagesWire,
};

/** `POST /v1/quotes`: free, and counted by the request limits like any other work. */
export async function handleQuote(
  deps: QuotesDeps,
  req: IncomingMessage & { query: Readonly<Record<string, unknown>> },
  res: ServerResponse,
): Promise<void> {
  const secret = chatWire.readSecret(req);
  await serveFree(deps, { req, res, secret }, async (caller, room) => {
    const { wire, output_tokens: lengths } = parseQuery(quoteQuery, req.query);
    const limits = {
      ...deps.bodyLimits,
      ...(wire === 'embeddings' && { maxValues: MOST_VALUES_OF_EMBEDDINGS }),
    };
    const { value, written, isLong } = await readJsonBodyWithBytes(req, limits, room);
    const { plan, count } = await planBy(wire, deps, { caller, room, written, isLong }, value);
    for (const [name, text] of ignoredHeaders(plan.ignoredFields)) res.setHeader(name, text);
    const quoted = await quoteRequest(deps.askLedger, caller, await count(), lengths);
    sendJson(res, 200, toRecord(quoted, caller));
  });
}

interface Planned {
  plan: PaidPlan;
  /** Counts the tokens, which takes time. */
  count: () => Promise<QuotedRequest>;
}

async function planBy(
  wire: (typeof QUOTED_WIRES)[number],
  deps: QuotesDeps,
  asking: { caller: Caller; room: BodyRoom; written: WrittenJson | undefined; isLong: boolean },
  value: unknown,
): Promise<Planned> {
  const { catalog, counter } = deps;
  const { caller, written, isLong } = asking;
  if (wire === 'embeddings') {
    const plan = planEmbeddings(catalog.current, caller, readBody(readEmbeddings, value));
    return { plan, count: () => countEmbeddings(counter, plan, caller.accountId) };
  }
  const ofWire = WIRE_OF[wire];
  if (isLong) await checkSchemas(value, new Pace());
  const read =
    isLong && ofWire.readInTurns
      ? await ofWire.readInTurns(value, written).catch(refuse)
      : readBody((body) => ofWire.read(body), value);
  const asked = read.named ? await withNamed(deps, asking, read.named) : read;
  const plan = await (isLong ? planInTurns : planCompletion)(catalog.current, caller, { ...asked, written });
  return { plan, count: () => countCompletion(counter, plan, caller.accountId) };
}

function readBody<Asked>(read: (value: unknown) => Asked, value: unknown): Asked {
  try {
    return read(value);
  } catch (error) {
    refuse(error);
  }
}

function refuse(error: unknown): never {
  throw toRefusal('body', error);
}

function toRecord(quoted: RequestQuote, caller: Caller): QuoteRecord {
  const { showsAccountLimits } = caller;
  const { model, maxOutputTokens, choices, maximumCostNano, costs, quote } = quoted;
  const { promptTokensBound, promptTokensCounted } = quoted;
  const { balanceNano, heldNano, running, day, keyMonth, at } = quote;
  const nowMs = at.getTime();
  const { outcome } = refuseByKeyMonth(caller, quote.outcome, keyMonth, quote.amountNano) ?? quote;
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
    binds: BINDS[outcome] ?? null,
    limits: {
      balance: showsAccountLimits
        ? {
            balance: toDecimalUsd(balanceNano),
            held: toDecimalUsd(heldNano),
            left: toDecimalUsd(leftOf(balanceNano, heldNano)),
            running,
          }
        : null,
      key_month: toSpending(keyMonth, nextUtcMonth(nowMs)),
      account_day: showsAccountLimits
        ? {
            ...spendingOf(day, day.mostNano, nextUtcDay(nowMs)),
            request_limit: day.mostRequests,
            requests: day.requests,
          }
        : null,
      policy: outcome === 'limit_policy' ? toPolicy(caller, quote.limits, model.id) : null,
    },
  };
}

function toPolicy(caller: Caller, limits: Quote['limits'], modelId: string): QuoteRecord['limits']['policy'] {
  const state = limits && findShownRefusing(caller, limits.states);
  if (!state) return null;
  const { measure, per, attachedTo, isOfModel, most, used, needed, endsAtMs } = state;
  const toAmount = (amount: bigint) =>
    measure === 'spend' ? toDecimalUsd(toNanoUsd(amount)) : Number(amount);
  return {
    measure,
    per: per ?? null,
    of: attachedTo === 'key' ? 'key' : 'account',
    model: isOfModel ? modelId : null,
    limit: toAmount(most),
    used: toAmount(used),
    needed: toAmount(needed),
    left: toAmount(leftOfLimit(state)),
    resets_at: endsAtMs === undefined ? null : toUnixSeconds(new Date(endsAtMs)),
  };
}

/** Outcomes reported as a limit; the others are reported as errors. */
const BINDS: Readonly<Partial<Record<Quote['outcome'], NonNullable<QuoteRecord['binds']>>>> = {
  daily_request_cap: 'account_day_requests',
  daily_spend_cap: 'account_day',
  abandonment_cap: 'account_day_abandoned',
  abandonment_at_risk: 'account_day_abandoned',
  key_month_limit: 'key_month',
  insufficient_funds: 'balance',
  limit_policy: 'limit_policy',
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
