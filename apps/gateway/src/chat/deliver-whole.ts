import { setImmediate } from 'node:timers/promises';
import type { TokenUsage } from '@farebox/catalog';
import {
  readLongAnswer,
  readWholeAnswer,
  stopsOf,
  textsOf,
  textsOfAll,
  type Choice,
  type WholeAnswer,
} from '../upstream/answers';
import { tokensOf, type Charge } from '../paid/charged-usage';
import type { CountedUsage } from '../tokens/prompt-counts';
import { isDoubtful, isOfOneChoice, plausibleUsage } from '../upstream/usage/plausible-usage';
import { askRoutes } from '../upstream/upstream-calls';
import { chargeAndSend } from '../paid/end-hold';
import { toCompletionUsage, type Completion } from './completion';
import { abandonCompletion } from './left-usage';
import { lengthOf, outputLimitOf, withinLimit } from './output-limit';

/** Longer output takes milliseconds to read, and again to write. */
const LONG_OUTPUT_CHARS = 1_000_000;

/**
 * A whole response is received, charged, then sent. Customers who leave before it begins to be written pay nothing.
 * From its first byte on the charge stands, because they may have read the rest. Throws the client's error. The scope
 * of the hold releases it if it is not charged here.
 */
export async function deliverWhole(completion: Completion): Promise<void> {
  const { hold, client, plan } = completion;
  const maxBytes = maxAnswerBytes(plan, completion.request);
  const stops = stopsOf(completion.request);
  const answer = await askRoutes<WholeAnswer>(completion, {
    send: (upstream, ask, sink) => upstream.complete(ask, sink, maxBytes),
    read: (bytes, wire) => readWholeAnswer(bytes, { wire, stops }),
    readLong: (bytes, wire) => readLongAnswer(bytes, { wire, stops }),
    inTurn: completion.inTurn,
  });
  if (!answer) {
    await abandonCompletion(completion);
    return;
  }

  const limit = outputLimitOf(plan);
  const { choices, isCut } = await withinLimit(
    answer.choices.slice(0, plan.choices),
    limit,
    completion.countTexts,
    completion.words,
  );
  const outputLength = lengthOf(textsOfAll(choices));
  const possible = plausibleUsage(answer.usage, {
    contextWindow: plan.model.contextWindow,
    maxOutputTokens: limit.tokens,
    outputLength,
    canBePrompt: completion.canBePrompt,
    showsCache: completion.showsCache(),
  });
  const isPartial = possible && choices.length > 1 && (await isOfOneOf(choices, possible, completion));
  const plausible = isPartial ? undefined : possible;
  const reported = isCut ? undefined : plausible;
  const usage: CountedUsage = reported ?? (await countUsage(completion, choices, limit.tokens));
  if (outputLength > LONG_OUTPUT_CHARS) await setImmediate(); // Let others have their turn between reading and writing.
  // The response is sent exactly as it is kept: its cost is known before the charge.
  const identity = { id: completion.id, created: completion.createdAt, model: plan.model.id };
  const written = client.toWhole(
    identity,
    choices,
    toCompletionUsage(usage, hold.costOf(usage)),
    answer.written,
  );
  const body = typeof written === 'string' ? written : await written;
  const charge: Charge = {
    ...tokensOf(usage),
    outcome: 'completed',
    estimated: reported === undefined,
    isReportImplausible: isDoubtful(answer.usage, plausible),
    isUncounted: usage.isUncounted,
    finishReasons: choices.map((choice) => choice.finish_reason),
  };
  completion.tellOmitted();
  await chargeAndSend(completion, charge, body);
}

function isOfOneOf(
  choices: readonly Choice[],
  usage: TokenUsage,
  { countTexts }: Completion,
): Promise<boolean> {
  const texts = choices.map((choice) => textsOf(choice).join('')).filter((text) => text !== '');
  return isOfOneChoice(usage, texts, countTexts);
}

async function countUsage(
  completion: Completion,
  choices: readonly Choice[],
  maxOutputTokens: number,
): Promise<CountedUsage> {
  const counted = await completion.countUsage(textsOfAll(choices));
  return { ...counted, completionTokens: Math.min(counted.completionTokens, maxOutputTokens) };
}

/** JSON around the texts of a response. */
const MOST_BYTES_AROUND_TEXTS = 256 * 1024;
/** Length of the longest token if JSON escapes each of its bytes as a control character, with its log probability. */
const MOST_BYTES_PER_TOKEN = 1_024;

/**
 * Maximum length of a response that keeps to its output limit. Reading stops there, because the rest would be
 * discarded.
 */
function maxAnswerBytes(
  { maxOutputTokens, choices }: Completion['plan'],
  { logprobs, top_logprobs: top }: Completion['request'],
): number {
  const perToken = MOST_BYTES_PER_TOKEN * (logprobs === true ? 2 + (top ?? 0) : 1);
  return MOST_BYTES_AROUND_TEXTS + maxOutputTokens * choices * perToken;
}
