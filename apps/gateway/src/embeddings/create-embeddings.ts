import {
  boundCountedInputs,
  boundInputs,
  leastInputTokens,
  maximumCost,
  type EmbeddingInputs,
  type Model,
} from '@farebox/catalog';
import type { EmbeddingsInput, EmbeddingsRequest, UnknownFields } from '@farebox/api';
import { ApiError } from '@farebox/errors';
import { BYTES_AT_ONCE, type WrittenJson } from '@farebox/flow';
import { byteLengthOf } from '@farebox/http';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { ServedCatalog } from '../upstream/live-catalog';
import type { Caller } from '../identity/api-keys';
import { beginAttempt } from '../upstream/upstream-attempts';
import type { TokenCounter } from '../tokens/token-counter';
import { readEmbeddings, readLongEmbeddings, type EmbeddingsAnswer } from '../upstream/embeddings';
import type { ReadUsage, UsageReport } from '../upstream/usage/report';
import { type CountedUsage, countForCharge, countForPlan, exactTokens } from '../tokens/prompt-counts';
import { inputOverflow } from '../upstream/context-overflow';
import { chargeAndSend, type AnsweredRequest, abandon } from '../paid/end-hold';
import { targetsOf } from '../upstream/failed-calls';
import { LongAnswer } from '../upstream/long-answer';
import { servePaid, type DeliveryDeps } from '../paid/paid-request';
import type { PaidPlan, PaidRequest, Planner, QuotedRequest, PaidClient } from '../paid/terms';
import { isDoubtful } from '../upstream/usage/plausible-usage';
import { requireModel } from '../paid/require-model';
import { canBeInputs } from '../upstream/usage/sure-prompt';
import { toBytes } from '../upstream/upstream-body';
import { askRoutes, type RoutedRequest } from '../upstream/upstream-calls';

/** A request for embeddings, as read from its body. */
export interface AskedEmbeddings {
  body: EmbeddingsRequest;
  /** Fields of the body that the contract does not know. */
  unknown: UnknownFields;
}

/** The request, and how the long strings of its body were written. */
type AskedRequest = PaidRequest & AskedEmbeddings & { written: WrittenJson | undefined };

export interface EmbeddingsPlan extends PaidPlan {
  /** The fields that every server gets, beside its own name for the model. */
  sent: SentEmbeddings;
  /** The inputs in `sent`. */
  inputs: EmbeddingInputs;
  /** Upper bound of the inputs' tokens; the upstream reports the true count. */
  tokensBound: number;
}

type SentEmbeddings = ReturnType<typeof toSentEmbeddings>;

function toSentEmbeddings({ input, encoding_format, dimensions }: EmbeddingsRequest) {
  return {
    input,
    encoding_format: encoding_format ?? 'float',
    ...(dimensions == null ? {} : { dimensions }),
  };
}

/** Serves paid embeddings. Throws the client's error while nothing has been sent to them. */
export async function createEmbeddings(
  deps: DeliveryDeps,
  request: AskedRequest,
  client: PaidClient,
): Promise<void> {
  await servePaid<EmbeddingsPlan>(deps, request, client, {
    ...embeddingsPlanner(deps.counter, request),
    streamed: false,
    async replay(answer) {
      client.announce([['Idempotent-Replayed', 'true']]);
      if (answer.kind === 'whole') await client.sendWhole(answer.body);
    },
    deliver(caller, plan, hold) {
      const longAnswer = new LongAnswer(deps.longAnswers, caller.accountId);
      return deliver(deps, { ...request, caller }, plan, { client, hold, longAnswer }).finally(() => {
        longAnswer.leave();
      });
    },
  });
}

function embeddingsPlanner(counter: TokenCounter, asked: AskedEmbeddings): Planner<EmbeddingsPlan> {
  return {
    plan: (catalog, caller) => planEmbeddings(catalog, caller, asked),
    leastCost: ({ model, inputs }) => costOfAtMost(model, leastInputTokens(inputs)),
    async byCount(plan, accountId) {
      const { model, inputs } = plan;
      const count = await countForPlan(counter, model, accountId, inputs.texts);
      if (!count) return undefined;
      const mostTokens = boundCountedInputs(inputs, model, count);
      return { ...plan, maximumCostNano: costOfAtMost(model, mostTokens), mostTokens };
    },
  };
}

export function planEmbeddings(
  catalog: ServedCatalog,
  caller: Caller,
  { body, unknown }: AskedEmbeddings,
): EmbeddingsPlan {
  const model = requireModel(catalog, caller, body.model, 'embeddings');
  const sent = toSentEmbeddings(body);
  const inputs = inputsOf(sent.input);
  const { tokensBound, isOverContext } = boundInputs(inputs, model);
  if (isOverContext) throw inputOverflow(model);
  return {
    model,
    targets: targetsOf(model, catalog.clients),
    sent,
    inputs,
    tokensBound,
    maximumCostNano: costOfAtMost(model, tokensBound),
    mostTokens: tokensBound,
    images: 0,
    ignoredFields: [...unknown.own.keys(), ...unknown.inner],
  };
}

/** The cost and tokens for a quote. */
export async function countEmbeddings(
  counter: TokenCounter,
  plan: EmbeddingsPlan,
  accountId: string,
): Promise<QuotedRequest> {
  const { model, inputs, tokensBound } = plan;
  const count = await countForPlan(counter, model, accountId, inputs.texts);
  const counted = exactTokens(count);
  const countedTokens = count && boundCountedInputs(inputs, model, count);
  const asTokens = inputs.tokenCounts.reduce((sum, tokens) => sum + tokens, 0);
  return {
    ...plan,
    images: plan.images ?? 0,
    countedCostNano: countedTokens === undefined ? undefined : costOfAtMost(model, countedTokens),
    countedTokens,
    promptTokensBound: tokensBound,
    promptTokensCounted: counted === undefined ? undefined : Math.min(counted + asTokens, tokensBound),
    maxOutputTokens: 0,
    choices: 1,
  };
}

function inputsOf(input: EmbeddingsInput): EmbeddingInputs {
  if (typeof input === 'string') return { texts: [input], tokenCounts: [] };
  if (isTexts(input)) return { texts: input, tokenCounts: [] };
  return { texts: [], tokenCounts: isTokens(input) ? [input.length] : input.map(({ length }) => length) };
}

// In a validated input, the type of the first entry is that of all.
const isTexts = (input: Exclude<EmbeddingsInput, string>): input is string[] => typeof input[0] === 'string';
const isTokens = (input: number[] | number[][]): input is number[] => typeof input[0] === 'number';

function costOfAtMost({ price }: Model, tokensBound: number): NanoUsd {
  return maximumCost(price, { promptTokensBound: tokensBound, maxOutputTokens: 0, n: 1 });
}

/** Fetches, charges, then sends the response, as for a non-streamed completion. */
async function deliver(
  deps: DeliveryDeps,
  request: AskedRequest,
  plan: EmbeddingsPlan,
  answered: AnsweredRequest & { client: PaidClient },
): Promise<void> {
  const { body, caller } = request;
  const { hold } = answered;
  const { inputs, model } = plan;
  const count = inputs.texts.length + inputs.tokenCounts.length;
  const asked = { inputs: count, format: plan.sent.encoding_format };
  const maxBytes = maxAnswerBytes(count, body.dimensions);
  const answer = await askRoutes<EmbeddingsAnswer>(toRouted(deps, request, plan, answered), {
    send: (upstream, ask, sink) => upstream.embed(ask, sink, maxBytes),
    read: (bytes) => readEmbeddings(bytes, asked),
    readLong: (bytes) => readLongEmbeddings(bytes, asked),
    inTurn: (work) => deps.turns.take(caller.accountId, work),
  });
  const counted = (): Promise<CountedUsage> => countInputs(deps.counter, plan, caller.accountId);
  if (!answer) {
    await abandon(hold, counted);
    return;
  }
  requireDimensions(answer, body.dimensions);

  const reported = plausibleInputs(answer.usage, plan);
  const usage: CountedUsage = reported
    ? { promptTokens: reported.promptTokens, completionTokens: 0 }
    : await counted();
  const json = toList(answer, model.id, usage.promptTokens, hold.costOf(usage));
  const charge = {
    ...usage,
    outcome: 'completed' as const,
    estimated: reported === undefined,
    isReportImplausible: isDoubtful(answer.usage, reported),
  };
  await chargeAndSend(answered, charge, json);
}

/** The charged tokens if the upstream reported none. */
async function countInputs(
  counter: TokenCounter,
  { model, inputs, tokensBound }: EmbeddingsPlan,
  accountId: string,
): Promise<CountedUsage> {
  const { tokens, isUncounted } = await countForCharge(counter, model, accountId, inputs.texts);
  const asTokens = inputs.tokenCounts.reduce((sum, one) => sum + one, 0);
  return { promptTokens: Math.min(tokens + asTokens, tokensBound), completionTokens: 0, isUncounted };
}

function toRouted(
  { shutdown, log, upstreams, turns }: DeliveryDeps,
  { requestId, span, caller, body, written }: AskedRequest,
  plan: EmbeddingsPlan,
  { client, hold, longAnswer }: AnsweredRequest,
): RoutedRequest {
  return {
    accountId: caller.accountId,
    request: body,
    plan,
    client,
    shutdown,
    hold,
    longAnswer,
    toBody: (_upstream, model) =>
      toBytes({ model, ...plan.sent }, written, (work) => turns.take(caller.accountId, work)),
    beginAttempt(target) {
      const of = {
        log,
        upstreams,
        span,
        requestId,
        modelId: plan.model.id,
        operation: 'embeddings',
      } as const;
      const attempt = beginAttempt(of, target);
      hold.asked(target.route, attempt);
      return attempt;
    },
  };
}

/** Allowance for the JSON around the vectors. */
const MOST_BYTES_AROUND = 64 * 1024;
/** The largest known model has 8,192. */
const MOST_DIMENSIONS = 16_384;
/** A number as text, with the characters around it. */
const MOST_BYTES_OF_NUMBER = 32;
/** 2,048 inputs of 3,072 dimensions are 60 MB of numbers. */
const MOST_BYTES = 96 * 1024 * 1024;

/** The longest response to read: more would be thrown away. */
function maxAnswerBytes(inputs: number, dimensions: number | null | undefined): number {
  const bytes = MOST_BYTES_AROUND + inputs * (dimensions ?? MOST_DIMENSIONS) * MOST_BYTES_OF_NUMBER;
  return Math.min(bytes, MOST_BYTES);
}

/**
 * A server that does not know the field returns its default. That is not the requested length, but not the
 * server's fault either.
 */
function requireDimensions(answer: EmbeddingsAnswer, asked: number | null | undefined): void {
  if (asked == null || answer.dimensions === asked) return;
  throw new ApiError('invalid_request_error', {
    param: 'dimensions',
    message: `This model makes embeddings of ${String(answer.dimensions)} dimensions only.`,
  });
}

/** The report, if it can be true. */
function plausibleInputs(
  report: UsageReport | undefined,
  { inputs, model, tokensBound }: EmbeddingsPlan,
): ReadUsage | undefined {
  if (report === undefined || report === 'unreadable') return undefined;
  const { promptTokens } = report;
  return promptTokens <= tokensBound && canBeInputs(promptTokens, inputs, model) ? report : undefined;
}

/** The response exactly as it is sent and kept: a long one in pieces. */
function toList(
  { vectors }: EmbeddingsAnswer,
  model: string,
  promptTokens: number,
  costNano: NanoUsd,
): string | Buffer[] {
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens, cost: toDecimalUsd(costNano) };
  const pieces = vectors.flatMap((json, index) => {
    const opening = index === 0 ? '{"object":"list","data":[' : ',';
    const entry = `${opening}{"object":"embedding","index":${String(index)},"embedding":`;
    return [Buffer.from(entry), json, CLOSING_BRACE];
  });
  pieces.push(Buffer.from(`],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`));
  return byteLengthOf(pieces) > BYTES_AT_ONCE ? pieces : Buffer.concat(pieces).toString('latin1');
}

const CLOSING_BRACE = Buffer.from('}');
