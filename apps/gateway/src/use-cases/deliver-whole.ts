import { countTokens, estimatePromptTokens, type TokenUsage } from '@farebox/catalog';
import type { ChatCompletion } from '@farebox/contracts';
import type { ReportedUsage } from '../upstream/answer-parts';
import { isWorthAnotherRoute, type RouteTarget } from '../upstream/call-routes';
import { UpstreamFailure } from '../upstream/failure';
import { toUpstreamBody } from '../upstream/upstream-request';
import { readWholeAnswer, textsOf, type Choice, type WholeAnswer } from '../upstream/whole-answer';
import type { Completion } from './completion';
import { LONGEST_KEPT, tooLongToKeepError } from './kept-answer';
import { plausibleUsage } from './plausible-usage';
import { shuttingDownError, toApiErrorOfUpstreams } from './upstream-errors';
import { toCompletionUsage } from './wire-usage';

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

  const reported = plausibleUsage(answer.usage, {
    contextWindow: plan.model.contextWindow,
    maxOutputTokens: plan.maxOutputTokens * plan.choices,
    outputLength: lengthOf(answer.choices),
  });
  const usage = reported ?? estimateUsage(completion, answer);
  // Exactly what is kept is sent: the cost in it is known before the charge.
  const body = JSON.stringify({
    id: completion.id,
    object: 'chat.completion',
    created: completion.createdAt,
    model: plan.model.id,
    choices: answer.choices,
    usage: toCompletionUsage(usage, hold.costOf(usage)),
  } satisfies ChatCompletion);
  if (hold.keepsAnswer && body.length > LONGEST_KEPT) throw tooLongToKeepError();
  const charge = {
    ...usage,
    outcome: 'completed' as const,
    estimated: reported === undefined,
    isReportImplausible: answer.usage !== undefined && reported === undefined,
  };
  await hold.charge(charge, () => ({ kind: 'whole', body }));
  const written = await client.sendWhole(body);
  if (!written && !hold.keepsAnswer) await hold.refund();
}

function lengthOf(choices: readonly Choice[]): number {
  let length = 0;
  for (const text of choices.flatMap(textsOf)) length += text.length;
  return length;
}

function estimateUsage({ plan }: Completion, answer: WholeAnswer): ReportedUsage {
  return {
    promptTokens: estimatePromptTokens(plan.prompt, plan.model, plan.tokenizer),
    completionTokens: countTokens(answer.choices.flatMap(textsOf), plan.tokenizer),
  } satisfies TokenUsage;
}

/** Asks one route after the other. Throws what the client is to be told where none of them has an answer. */
async function askRoutes(completion: Completion): Promise<WholeAnswer> {
  const failures: UpstreamFailure[] = [];
  for (const target of completion.plan.targets) {
    try {
      return await ask(completion, target);
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      failures.push(error);
      if (!isWorthAnotherRoute(error)) break;
    }
  }
  throw toApiErrorOfUpstreams(failures, completion.request);
}

function ask(
  { client, shutdown, plan, request, beginAttempt }: Completion,
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
    const call = upstream.complete(route.upstreamModel, body, {
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
    });
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
