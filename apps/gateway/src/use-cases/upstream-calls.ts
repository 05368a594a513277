import type { ApiError } from '@farebox/errors';
import type { UpstreamAttempt } from '../telemetry/upstream-attempts';
import type { UpstreamFailure } from '../upstream/failure';
import type { UpstreamCall } from '../upstream/running-call';
import { toUpstreamBody, type UpstreamAsk, type UpstreamClient } from '../upstream/upstream-client';
import type { Completion } from './completion';
import {
  nextTarget,
  shuttingDownError,
  toApiErrorOfBrokenStream,
  toApiErrorOfUpstreams,
  type FailedCall,
} from './failed-calls';

/** How the calls of a completion end if none of them has answered. */
export type CallsEnd =
  | { kind: 'client_gone' }
  | { kind: 'shutdown'; error: ApiError }
  /** The upstreams failed: what the customer is told of it. */
  | { kind: 'failed'; error: ApiError }
  /** This code itself failed. Nobody upstream is to blame, so nobody else is asked. */
  | { kind: 'broken'; thrown: unknown };

/** What a call is told of besides its response. */
export interface CallEvents {
  /** Whether this call is still listened to: what a former one has to say is passed over. */
  isCurrent: () => boolean;
  onFailure: (failure: UpstreamFailure) => void;
}

/** Takes a response: in one piece, or as a stream. */
interface AnswerTaker {
  /** Sends the request to one upstream, and listens to its response. */
  send(client: UpstreamClient, ask: UpstreamAsk, events: CallEvents): UpstreamCall;
  /** Whether a part of the response has gone out: then no other route is asked. */
  hasBegun(): boolean;
  /** Told of every end: the first counts. */
  onEnd(end: CallsEnd): void;
}

/**
 * The calls of one completion: one route after the other is asked until one answers, the customer goes, or the process
 * must end. A response in one piece and a stream fail over in the same way, here.
 */
export class UpstreamCalls {
  readonly #completion: Completion;
  readonly #taker: AnswerTaker;
  readonly #failed: FailedCall[] = [];
  #call: UpstreamCall | undefined;
  /** The same call, as it is told to those who operate the service. */
  #attempt: UpstreamAttempt | undefined;

  constructor(completion: Completion, taker: AnswerTaker) {
    this.#completion = completion;
    this.#taker = taker;
  }

  /** Asks the first route. */
  begin(): void {
    const { client, shutdown } = this.#completion;
    client.gone.addEventListener('abort', this.#onGone);
    shutdown.addEventListener('abort', this.#onShutdown);
    if (client.gone.aborted) this.#onGone();
    else if (shutdown.aborted) this.#onShutdown();
    else this.#ask();
  }

  /** The response is whole. */
  answered(): void {
    this.#call?.settle();
    this.#call = undefined;
    this.#attempt?.answered();
    this.#attempt = undefined;
  }

  pause(): void {
    this.#call?.pause();
  }

  resume(): void {
    this.#call?.resume();
  }

  /** Ends the call that runs: nobody waits for more of it. */
  leave(): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    this.#call?.abort();
    this.#call = undefined;
    attempt?.left();
  }

  /** Nothing is listened to any more, and no call goes on. */
  close(): void {
    const { client, shutdown } = this.#completion;
    client.gone.removeEventListener('abort', this.#onGone);
    shutdown.removeEventListener('abort', this.#onShutdown);
    this.leave();
  }

  /** Runs what a socket calls, which cannot be told what this code throws: the completion ends with it. */
  guard(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.break(thrown);
    }
  }

  break(thrown: unknown): void {
    this.#stop({ kind: 'broken', thrown });
  }

  readonly #onGone = (): void => {
    this.#stop({ kind: 'client_gone' });
  };

  readonly #onShutdown = (): void => {
    this.#stop({ kind: 'shutdown', error: shuttingDownError() });
  };

  #stop(end: CallsEnd): void {
    this.leave();
    this.#taker.onEnd(end);
  }

  /** Asks the route after those that have failed. */
  #ask(): void {
    const { plan, request, written, accountId, beginAttempt } = this.#completion;
    const target = nextTarget(plan.targets, this.#failed);
    if (!target) {
      void this.#giveUp();
      return;
    }
    const { client } = target;
    const { upstreamModel } = target.route;
    const { maxOutputTokens, extraFields } = plan;
    const asked = { request, written, extraFields, maxOutputTokens };
    const body = toUpstreamBody(asked, client.upstream, upstreamModel);
    const isUp = client.watchHealth(upstreamModel);
    const attempt = beginAttempt(target);
    const isCurrent = (): boolean => attempt === this.#attempt;
    this.#attempt = attempt;
    const onFailure = (failure: UpstreamFailure): void => {
      if (!isCurrent()) return;
      this.guard(() => {
        attempt.failed(failure);
        if (this.#taker.hasBegun())
          this.#taker.onEnd({ kind: 'failed', error: toApiErrorOfBrokenStream(failure) });
        else {
          this.#failed.push({ target, failure, isUp });
          this.#ask();
        }
      });
    };
    this.#call = this.#taker.send(client, { upstreamModel, accountId, body }, { isCurrent, onFailure });
  }

  async #giveUp(): Promise<void> {
    try {
      const error = await toApiErrorOfUpstreams(this.#failed, this.#completion.request);
      this.#taker.onEnd({ kind: 'failed', error });
    } catch (thrown) {
      this.break(thrown);
    }
  }
}
