import type { Upstream } from '@farebox/catalog';
import type { ApiError } from '@farebox/errors';
import { BYTES_OF_TURN } from '@farebox/flow';
import { holdLostError } from '../refusals';
import type { StopSignal } from '../stop-switch';
import type { UpstreamAttempt } from './upstream-attempts';
import type { WholeSink } from './body-readers';
import { UpstreamFailure } from './failure';
import type { UpstreamCall } from './running-call';
import { changedSpeech, type Speech } from './speech';
import type { UpstreamAsk, UpstreamClient } from './upstream-client';
import type { LongAnswer } from './long-answer';
import {
  nextTarget,
  shuttingDownError,
  toApiErrorOfBrokenStream,
  toApiErrorOfUpstreams,
  type FailedCall,
  type RouteTarget,
} from './failed-calls';

/** What is asked of a model, of one of its routes after the other. */
export interface RoutedRequest {
  /** Whose it is. */
  accountId: string;
  /** What was asked for: a failure may name a field of it. */
  request: object;
  plan: { targets: readonly RouteTarget[] };
  client: { readonly gone: StopSignal };
  /** Aborted when the process must end now. */
  shutdown: StopSignal;
  /** What the calls are paid from. */
  hold: { readonly lost: StopSignal };
  /** Where a long response in one piece waits for its turn. */
  longAnswer: LongAnswer;
  /**
   * The body for an upstream that has this name for the model and is spoken to like this. None, if that could cost more
   * than what is held.
   */
  toBody: (upstream: Upstream, upstreamModel: string, speech: Speech) => string | Buffer | undefined;
  /** Tells of a call to an upstream, which begins now. What the upstream said of a failure may be seen in the log. */
  beginAttempt: (target: RouteTarget) => UpstreamAttempt;
}

/** How the calls of a request end if none of them has answered. */
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
  /** The customer has gone. Answers whether the call goes on, for what the upstream says at its end. */
  readsOn(): boolean;
  /** Told of every end: the first counts. */
  onEnd(end: CallsEnd): void;
}

/** Changes in one request: nobody goes in circles between two words of a server's. */
const MOST_CHANGES = 4;

/**
 * The calls of one request: one route after the other is asked until one answers, the customer goes, or the process
 * must end. A response in one piece and a stream fail over in the same way, here.
 */
export class UpstreamCalls {
  readonly #routed: RoutedRequest;
  readonly #taker: AnswerTaker;
  readonly #failed: FailedCall[] = [];
  #call: UpstreamCall | undefined;
  /** The same call, as it is told to those who operate the service. */
  #attempt: UpstreamAttempt | undefined;
  /** To be remembered of the server that is asked if it answers: it has refused the request as it came first. */
  #tried: { client: UpstreamClient; upstreamModel: string; speech: Speech } | undefined;

  #changes = 0;

  constructor(routed: RoutedRequest, taker: AnswerTaker) {
    this.#routed = routed;
    this.#taker = taker;
  }

  /** Asks the first route. */
  begin(): void {
    const { client, shutdown, hold } = this.#routed;
    client.gone.addEventListener('abort', this.#onGone);
    shutdown.addEventListener('abort', this.#onShutdown);
    hold.lost.addEventListener('abort', this.#onHoldLost);
    if (client.gone.aborted) this.#onGone();
    else if (shutdown.aborted) this.#onShutdown();
    else if (hold.lost.aborted) this.#onHoldLost();
    else this.#ask();
  }

  /** The response is whole. */
  answered(): void {
    this.#call?.settle();
    this.#call = undefined;
    this.#attempt?.answered();
    this.#attempt = undefined;
    if (this.#tried) this.#tried.client.learnSpeech(this.#tried.upstreamModel, this.#tried.speech);
    this.#tried = undefined;
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
    const { client, shutdown, hold } = this.#routed;
    client.gone.removeEventListener('abort', this.#onGone);
    shutdown.removeEventListener('abort', this.#onShutdown);
    hold.lost.removeEventListener('abort', this.#onHoldLost);
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
    if (!this.#taker.readsOn()) this.#stop({ kind: 'client_gone' });
  };

  readonly #onShutdown = (): void => {
    this.#stop({ kind: 'shutdown', error: shuttingDownError() });
  };

  /** Nothing was delivered: what is, is durable. */
  readonly #onHoldLost = (): void => {
    this.fail(holdLostError());
  };

  /** Ends the calls with what the customer is told, though no upstream has failed. */
  fail(error: ApiError): void {
    this.#stop({ kind: 'failed', error });
  }

  #stop(end: CallsEnd): void {
    this.leave();
    this.#taker.onEnd(end);
  }

  /** Asks the route after those that have failed. */
  #ask(): void {
    const target = nextTarget(this.#routed.plan.targets, this.#failed);
    if (target) this.#askAt(target, target.client.speechOf(target.route.upstreamModel));
    else void this.#giveUp();
  }

  #askAt(target: RouteTarget, speech: Speech): void {
    const { accountId, toBody, beginAttempt } = this.#routed;
    const { client, route } = target;
    const { upstreamModel } = route;
    const body = toBody(client.upstream, upstreamModel, speech);
    const isUp = client.watchHealth(upstreamModel);
    const attempt = beginAttempt(target);
    const isCurrent = (): boolean => attempt === this.#attempt;
    this.#attempt = attempt;
    const onFailure = (failure: UpstreamFailure): void => {
      if (!isCurrent()) return;
      this.guard(() => {
        attempt.failed(failure);
        this.#onFailure({ target, failure, isUp }, speech);
      });
    };
    if (body === undefined) {
      const cause = new Error('what it wants to be sent is not covered by what is held');
      onFailure(new UpstreamFailure('unavailable', { cause }));
      return;
    }
    const ask = { upstreamModel, accountId, wire: speech.wire, body };
    this.#call = this.#taker.send(client, ask, { isCurrent, onFailure });
  }

  /** A server that says how it wants to be spoken to is asked like that, as often as it has something new to say. */
  #onFailure(failed: FailedCall, speech: Speech): void {
    const { target, failure } = failed;
    if (this.#taker.hasBegun()) {
      this.#taker.onEnd({ kind: 'failed', error: toApiErrorOfBrokenStream(failure) });
      return;
    }
    const changed = failure.wants && changedSpeech(speech, failure.wants);
    const { client, route } = target;
    this.#tried = changed && { client, upstreamModel: route.upstreamModel, speech: changed };
    if (changed && this.#changes++ < MOST_CHANGES) {
      this.#askAt(target, changed);
      return;
    }
    this.#failed.push(failed);
    this.#ask();
  }

  async #giveUp(): Promise<void> {
    try {
      const error = await toApiErrorOfUpstreams(this.#failed, this.#routed.request);
      this.#taker.onEnd({ kind: 'failed', error });
    } catch (thrown) {
      this.break(thrown);
    }
  }
}

/** How a response in one piece is read. */
export interface WholeReading<Answer> {
  /** Sends the request to one upstream. */
  send: (client: UpstreamClient, ask: UpstreamAsk, sink: WholeSink) => UpstreamCall;
  /** Throws if it is no response to the request. */
  read: (bytes: Buffer, wire: Upstream['wire']) => Answer;
  /** `read` of a long one, in turns of the event loop. */
  readLong: (bytes: Buffer, wire: Upstream['wire']) => Promise<Answer>;
  /** Does long work of the event loop's when it is this account's turn: one piece of it is done at a time. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** The response of the first route that has one; undefined if the customer goes. Throws what they are to be told. */
export async function askRoutes<Answer>(
  routed: RoutedRequest,
  reading: WholeReading<Answer>,
): Promise<Answer | undefined> {
  const end = await answerOrEnd(routed, reading);
  switch (end.kind) {
    case 'answered':
      return end.answer;
    case 'client_gone':
      return undefined;
    case 'broken':
      throw end.thrown;
    case 'shutdown':
    case 'failed':
      throw end.error;
  }
}

function answerOrEnd<Answer>(
  routed: RoutedRequest,
  { send, read, readLong, inTurn }: WholeReading<Answer>,
): Promise<{ kind: 'answered'; answer: Answer } | CallsEnd> {
  return new Promise((resolve) => {
    const calls = new UpstreamCalls(routed, {
      hasBegun: () => false,
      readsOn: () => false,
      send: (client, ask, { isCurrent, onFailure }) => {
        const onRead = (answer: Answer): void => {
          calls.guard(() => {
            calls.answered();
            calls.close();
            resolve({ kind: 'answered', answer });
          });
        };
        const onAnswer = (bytes: Buffer): void | Promise<void> => {
          if (bytes.length <= BYTES_OF_TURN) onRead(read(bytes, ask.wire));
          else
            return inTurn(async () => {
              // Skip the read if the client left while waiting.
              if (!isCurrent()) return;
              const answer = await readLong(bytes, ask.wire);
              if (isCurrent()) onRead(answer);
            });
        };
        return send(client, ask, { onAnswer, onLong: () => routed.longAnswer.enter(), onFailure });
      },
      onEnd(end) {
        calls.close();
        resolve(end);
      },
    });
    calls.guard(() => {
      calls.begin();
    });
  });
}
