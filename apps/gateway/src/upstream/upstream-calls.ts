import type { Upstream } from '@farebox/catalog';
import type { ApiError } from '@farebox/errors';
import { BYTES_AT_ONCE } from '@farebox/flow';
import { holdLostError } from '../refusals';
import type { StopSignal } from '../stop-switch';
import type { UpstreamAttempt } from './upstream-attempts';
import type { WholeSink } from './body-readers';
import { UpstreamFailure } from './failure';
import type { UpstreamCall } from './running-call';
import { changedSpeech, type Speech } from './speech';
import type { WrittenBody } from './upstream-body';
import type { UpstreamAsk, UpstreamClient } from './upstream-client';
import type { LongAnswer } from './long-answer';
import {
  nextTarget,
  shuttingDownError,
  suspendedError,
  toApiErrorOfBrokenStream,
  toApiErrorOfUpstreams,
  type FailedCall,
  type RouteTarget,
} from './failed-calls';

/** A request for a model, to be tried on its routes in turn. */
export interface RoutedRequest {
  /** The account of the request. */
  accountId: string;
  /** The client's request: a failure may name one of its fields. */
  request: object;
  plan: { targets: readonly RouteTarget[] };
  client: { readonly gone: StopSignal };
  /** Aborted when the process must end now. */
  shutdown: StopSignal;
  /** The hold that pays for the calls. */
  hold: { readonly lost: StopSignal; readonly barred: StopSignal };
  /** The place of a long non-streamed response. */
  longAnswer: LongAnswer;
  /**
   * The body for an upstream with this name for the model and these settings. Undefined if it could cost more
   * than the hold. A long one takes several turns of the event loop.
   */
  toBody: (
    upstream: Upstream,
    upstreamModel: string,
    speech: Speech,
  ) => WrittenBody | undefined | Promise<WrittenBody | undefined>;
  /**
   * Reports a call to an upstream, which begins now. The log may contain the upstream's own words on a
   * failure.
   */
  beginAttempt: (target: RouteTarget) => UpstreamAttempt;
}

/** The end of a request's calls if none was answered. */
export type CallsEnd =
  | { kind: 'client_gone' }
  /** The process must end, or the account was suspended. */
  | { kind: 'shutdown' | 'suspended'; error: ApiError }
  /** The upstreams failed; the customer gets this error. */
  | { kind: 'failed'; error: ApiError }
  /** This code itself failed. No upstream is at fault, so no other is asked. */
  | { kind: 'broken'; thrown: unknown };

/** Events of a call besides its response. */
export interface CallEvents {
  /** Whether this is still the current call: events of an earlier one are ignored. */
  isCurrent: () => boolean;
  onFailure: (failure: UpstreamFailure) => void;
}

/** Receives a response, streamed or not. */
export interface AnswerTaker {
  /** Whether part of the response has been sent: then no other route is asked. */
  readonly hasBegun: boolean;
  /** Sends the request to one upstream and reads its response. */
  send(client: UpstreamClient, ask: UpstreamAsk, events: CallEvents): UpstreamCall;
  /** The customer has left. Returns whether the call goes on, for the upstream's final usage. */
  readsOn(): boolean;
  /** Called for every end: the first counts. */
  onEnd(end: CallsEnd): void;
}

/** Limit per request, so that a server cannot make us alternate between two forms. */
const MOST_CHANGES = 4;

/**
 * The calls of one request: one route after the other is asked until one answers, the customer leaves, or the
 * process must end. Failover is the same with and without a stream.
 */
export class UpstreamCalls {
  readonly #routed: RoutedRequest;
  readonly #taker: AnswerTaker;
  readonly #failed: FailedCall[] = [];
  #call: UpstreamCall | undefined;
  /** The operators' record of the current call. */
  #attempt: UpstreamAttempt | undefined;
  /** Settings to remember for the server if it answers: it refused the request in its first form. */
  #tried: { client: UpstreamClient; upstreamModel: string; speech: Speech } | undefined;

  #changes = 0;
  /** Whether a request was sent again because its server had closed the connection while it was idle. */
  #isSentAgain = false;
  /** Nothing is sent any more. */
  #isOver = false;

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
    hold.barred.addEventListener('abort', this.#onBarred);
    if (client.gone.aborted) this.#onGone();
    else if (shutdown.aborted) this.#onShutdown();
    else if (hold.lost.aborted) this.#onHoldLost();
    else if (hold.barred.aborted) this.#onBarred();
    else this.#ask();
  }

  /** The response is complete. */
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

  /** Ends the running call: its result is no longer needed. */
  leave(): void {
    this.#isOver = true;
    const attempt = this.#attempt;
    this.#attempt = undefined;
    this.#call?.abort();
    this.#call = undefined;
    attempt?.left();
  }

  /** Stops listening and ends any running call. */
  close(): void {
    const { client, shutdown, hold } = this.#routed;
    client.gone.removeEventListener('abort', this.#onGone);
    shutdown.removeEventListener('abort', this.#onShutdown);
    hold.lost.removeEventListener('abort', this.#onHoldLost);
    hold.barred.removeEventListener('abort', this.#onBarred);
    this.leave();
  }

  /** Runs a socket callback, which has no caller to receive an error: an error here ends the completion. */
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

  /** Nothing was delivered: a hold is made durable before delivery. */
  readonly #onHoldLost = (): void => {
    this.fail(holdLostError());
  };

  readonly #onBarred = (): void => {
    this.#stop({ kind: 'suspended', error: suspendedError() });
  };

  /** Ends the calls with this error for the customer, though no upstream has failed. */
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
    this.#withBody(target, speech, (body) => {
      this.#send(target, speech, body);
    });
  }

  /** Calls back when the body is written: a long one takes turns of the event loop. */
  #withBody({ client, route }: RouteTarget, speech: Speech, send: (body?: WrittenBody) => void): void {
    const body = this.#routed.toBody(client.upstream, route.upstreamModel, speech);
    if (body instanceof Promise) void this.#whenWritten(body, send);
    else send(body);
  }

  async #whenWritten(
    writing: Promise<WrittenBody | undefined>,
    send: (body?: WrittenBody) => void,
  ): Promise<void> {
    try {
      const body = await writing;
      if (!this.#isOver) send(body);
    } catch (thrown) {
      if (!this.#isOver) this.break(thrown);
    }
  }

  #send(target: RouteTarget, speech: Speech, body: WrittenBody | undefined): void {
    const { accountId, beginAttempt } = this.#routed;
    const { client, route } = target;
    const { upstreamModel } = route;
    const isUp = client.watchHealth(upstreamModel);
    const attempt = beginAttempt(target);
    const isCurrent = (): boolean => attempt === this.#attempt;
    this.#attempt = attempt;
    const onFailure = (failure: UpstreamFailure): void => {
      if (!isCurrent()) return;
      this.guard(() => {
        if (failure.wasIdleBefore && !this.#isSentAgain) {
          this.#isSentAgain = true;
          this.#withBody(target, speech, send);
          return;
        }
        attempt.failed(failure);
        this.#onFailure({ target, failure, isUp }, speech);
      });
    };
    const send = (body?: WrittenBody): void => {
      if (body === undefined) {
        const cause = new Error('the body that it asks for is not covered by the hold');
        onFailure(new UpstreamFailure('unavailable', { cause }));
        return;
      }
      const ask = { upstreamModel, accountId, wire: speech.wire, body };
      this.#call = this.#taker.send(client, ask, { isCurrent, onFailure });
    };
    send(body);
  }

  /** Asks the server again in the form that it wants, as long as it wants something new. */
  #onFailure(failed: FailedCall, speech: Speech): void {
    const { target, failure } = failed;
    if (this.#taker.hasBegun) {
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

/** How a non-streamed response is read. */
export interface WholeReading<Answer> {
  /** Sends the request to one upstream. */
  send: (client: UpstreamClient, ask: UpstreamAsk, sink: WholeSink) => UpstreamCall;
  /** Throws if it is not a response to the request. */
  read: (bytes: Buffer, wire: Upstream['wire']) => Answer;
  /** `read` of a long response, in turns of the event loop. */
  readLong: (bytes: Buffer, wire: Upstream['wire']) => Promise<Answer>;
  /** Runs long work when it is this account's turn: one piece at a time. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Returns the response of the first route that has one; undefined if the customer leaves. Throws the
 * customer's error.
 */
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
    case 'suspended':
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
      hasBegun: false,
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
          if (bytes.length <= BYTES_AT_ONCE) onRead(read(bytes, ask.wire));
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
