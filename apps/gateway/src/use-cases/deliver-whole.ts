import { setImmediate } from 'node:timers/promises';
import type { TokenUsage } from '@farebox/catalog';
import type { ChatCompletion } from '@farebox/contracts';
import { nextTarget, type FailedCall, type RouteTarget } from '../upstream/call-routes';
import { UpstreamFailure } from '../upstream/failure';
import { toUpstreamBody } from '../upstream/upstream-request';
import { readWholeAnswer, textsOf, type Choice, type WholeAnswer } from '../upstream/whole-answer';
import type { Completion } from './completion';
import { lengthOf, outputLimitOf, withinLimit } from './output-limit';
import { plausibleUsage } from './plausible-usage';
import { shuttingDownError, toApiErrorOfUpstreams } from './upstream-errors';
import { toCompletionUsage } from './wire-usage';

/** What is longer takes milliseconds to read, and as many to write. */
const LONG_OUTPUT_CHARS = 1_000_000;

/**
 * An answer in one piece: got, charged, then given. Whoever goes before the charge pays nothing; for whoever goes
 * between the charge and the last byte it is given back, unless the answer is kept for him. Throws what the client is
 * to be told. What is not charged here is released by the scope of the hold.
 */
export async function deliverWhole(completion: Completion): Promise<void> {
  const { hold, client, plan } = completion;
  let answer: WholeAnswer;
  try {
    answer = await askRoutes(completion);
  } catch (error) {
    if (client.gone.aborted) return;
    throw error;
  }

  const limit = outputLimitOf(plan);
  const { choices, isCut } = await withinLimit(
    answer.choices.slice(0, plan.choices),
    limit,
    completion.countTexts,
  );
  const outputLength = lengthOf(choices.flatMap(textsOf));
  const plausible = plausibleUsage(answer.usage, {
    contextWindow: plan.model.contextWindow,
    maxOutputTokens: limit.tokens,
    outputLength,
  });
  const reported = isCut ? undefined : plausible;
  const usage = reported ?? (await countUsage(completion, choices, limit.tokens));
  if (outputLength > LONG_OUTPUT_CHARS) await setImmediate(); // Others have their turn between reading and writing.
  // Exactly what is kept is sent: the cost in it is known before the charge.
  const body = JSON.stringify({
    id: completion.id,
    object: 'chat.completion',
    created: completion.createdAt,
    model: plan.model.id,
    choices,
    usage: toCompletionUsage(usage, hold.costOf(usage)),
  } satisfies ChatCompletion);
  const charge = {
    ...usage,
    outcome: 'completed' as const,
    estimated: reported === undefined,
    isReportImplausible: answer.usage !== undefined && plausible === undefined,
  };
  await hold.charge(charge, () =>
    body.length <= (hold.longestKept ?? 0) ? { kind: 'whole', body } : undefined,
  );
  const written = await client.sendWhole(body);
  if (!written) await hold.refund();
}

async function countUsage(
  completion: Completion,
  choices: readonly Choice[],
  maxOutputTokens: number,
): Promise<TokenUsage> {
  const counted = await completion.countUsage(choices.flatMap(textsOf));
  return { ...counted, completionTokens: Math.min(counted.completionTokens, maxOutputTokens) };
}

/** Asks one route after the other. Throws what the client is to be told where none of them has an answer. */
async function askRoutes(completion: Completion): Promise<WholeAnswer> {
  const failed: FailedCall[] = [];
  const { targets } = completion.plan;
  for (let target = nextTarget(targets, failed); target; target = nextTarget(targets, failed)) {
    const isUp = target.client.watchHealth(target.route.upstreamModel);
    try {
      return await ask(completion, target);
    } catch (failure) {
      if (!(failure instanceof UpstreamFailure)) throw failure;
      failed.push({ target, failure, isUp });
    }
  }
  throw await toApiErrorOfUpstreams(failed, completion.request);
}

function ask(
  { client, shutdown, plan, request, accountId, beginAttempt }: Completion,
  target: RouteTarget,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    if (client.gone.aborted || shutdown.aborted) {
      reject(shuttingDownError());
      return;
    }
    const { route, client: upstream } = target;
    const attempt = beginAttempt(target);
    const done = (): void => {
      client.gone.removeEventListener('abort', stop);
      shutdown.removeEventListener('abort', stop);
    };
    const body = toUpstreamBody(
      { request, maxOutputTokens: plan.maxOutputTokens },
      upstream.upstream,
      route.upstreamModel,
    );
    const call = upstream.complete(
      { upstreamModel: route.upstreamModel, accountId, body },
      {
        onAnswer(bytes) {
          resolve(readWholeAnswer(bytes));
          attempt.answered();
          done();
        },
        onFailure(failure) {
          attempt.failed(failure);
          done();
          reject(failure);
        },
      },
      maxAnswerBytes(plan, request),
    );
    function stop(): void {
      done();
      call.abort();
      attempt.left();
      reject(shuttingDownError());
    }
    client.gone.addEventListener('abort', stop);
    shutdown.addEventListener('abort', stop);
  });
}

/** Around the texts of an answer. */
const MOST_BYTES_AROUND_TEXTS = 256 * 1024;
/** Of the longest token, each of its bytes written as JSON writes a control character; and a log probability with it. */
const MOST_BYTES_PER_TOKEN = 1_024;

/** How long an answer may be that keeps to its limit of output: nobody reads on for what is thrown away. */
function maxAnswerBytes(
  { maxOutputTokens, choices }: Completion['plan'],
  { logprobs, top_logprobs: top }: Completion['request'],
): number {
  const perToken = MOST_BYTES_PER_TOKEN * (logprobs === true ? 2 + (top ?? 0) : 1);
  return MOST_BYTES_AROUND_TEXTS + maxOutputTokens * choices * perToken;
}
