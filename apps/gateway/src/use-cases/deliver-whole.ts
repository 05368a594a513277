import { countTokens, estimatePromptTokens, type TokenUsage } from '@farebox/catalog';
import type { ChatCompletion } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import type { ReportedUsage } from '../upstream/answer-parts';
import { isWorthAnotherRoute, type RouteTarget } from '../upstream/call-routes';
import { UpstreamFailure } from '../upstream/failure';
import { toUpstreamBody } from '../upstream/upstream-request';
import { readWholeAnswer, textsOf, type WholeAnswer } from '../upstream/whole-answer';
import type { Completion } from './completion';
import { LONGEST_KEPT, tooLongToKeepError } from './kept-answer';
import { toApiErrorOfUpstream } from './upstream-errors';
import { toCompletionUsage } from './wire-usage';

/**
 * An answer in one piece: got, charged, then given. Whoever goes before the charge pays nothing; for whoever goes
 * between the charge and the last byte it is given back, unless the answer is kept for him. Throws what the client is
 * to be told.
 */
export async function deliverWhole(completion: Completion): Promise<void> {
  const { hold, client, plan, request } = completion;
  let answer: WholeAnswer;
  try {
    answer = await askRoutes(completion);
  } catch (error) {
    await hold.release();
    if (client.gone.aborted) return;
    throw error instanceof UpstreamFailure ? toApiErrorOfUpstream(error, request) : error;
  }

  const usage = answer.usage ?? estimateUsage(completion, answer);
  // Exactly what is kept is sent: the cost in it is known before the charge.
  const body = JSON.stringify({
    id: completion.id,
    object: 'chat.completion',
    created: completion.createdAt,
    model: plan.model.id,
    choices: answer.choices,
    usage: toCompletionUsage(usage, hold.costOf(usage)),
  } satisfies ChatCompletion);
  if (hold.keepsAnswer && body.length > LONGEST_KEPT) {
    await hold.release();
    throw tooLongToKeepError();
  }
  const estimated = answer.usage === undefined;
  await hold.charge({ ...usage, outcome: 'completed', estimated }, () => ({ kind: 'whole', body }));
  const written = await client.sendWhole(body);
  if (!written && !hold.keepsAnswer) await hold.refund();
}

function estimateUsage({ plan }: Completion, answer: WholeAnswer): ReportedUsage {
  return {
    promptTokens: estimatePromptTokens(plan.prompt, plan.model, plan.tokenizer),
    completionTokens: countTokens(answer.choices.flatMap(textsOf), plan.tokenizer),
  } satisfies TokenUsage;
}

/** Asks one route after the other. Throws the failure of the last one that was asked, or why nobody waits any more. */
async function askRoutes(completion: Completion): Promise<WholeAnswer> {
  let failure = new UpstreamFailure('unavailable', { cause: new Error('the model has no route') });
  for (const target of completion.plan.targets) {
    try {
      return await ask(completion, target);
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      failure = error;
      completion.noteFailure(target, failure);
      if (!isWorthAnotherRoute(failure)) break;
    }
  }
  throw failure;
}

function ask(
  { client, shutdown, plan, request }: Completion,
  { route, client: upstream }: RouteTarget,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    if (client.gone.aborted || shutdown.aborted) {
      reject(new ApiError('service_unavailable'));
      return;
    }
    const done = (): void => {
      client.gone.removeEventListener('abort', stop);
      shutdown.removeEventListener('abort', stop);
    };
    const body = toUpstreamBody(
      { request, maxOutputTokens: plan.maxOutputTokens },
      upstream.upstream,
      route.upstreamModel,
    );
    const call = upstream.complete(body, {
      onAnswer(bytes) {
        done();
        try {
          resolve(readWholeAnswer(bytes));
        } catch (cause) {
          reject(new UpstreamFailure('garbage', { status: 200, cause }));
        }
      },
      onFailure(failure) {
        done();
        reject(failure);
      },
    });
    function stop(): void {
      done();
      call.abort();
      reject(new ApiError('service_unavailable'));
    }
    client.gone.addEventListener('abort', stop);
    shutdown.addEventListener('abort', stop);
  });
}
