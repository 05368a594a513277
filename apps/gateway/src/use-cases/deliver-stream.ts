import type { TokenUsage } from '@farebox/catalog';
import { ApiError, toApiError } from '@farebox/errors';
import type { UsageOutcome } from '@farebox/ledger';
import type { ReportedUsage, UsageReport } from '../upstream/answer-parts';
import { nextTarget, type FailedCall } from '../upstream/call-routes';
import { UpstreamFailure } from '../upstream/failure';
import { StreamReader, textOfChunk, type ChunkChoice } from '../upstream/stream-answer';
import type { UpstreamCall } from '../upstream/running-call';
import { toUpstreamBody } from '../upstream/upstream-request';
import type { Completion } from './completion';
import { DeliveredStream } from './delivered-stream';
import { toKeptError, type KeptStream } from './kept-answer';
import { OutputGate } from './output-gate';
import { outputLimitOf, type OutputLimit } from './output-limit';
import { plausibleUsage } from './plausible-usage';
import type { UpstreamAttempt } from './upstream-attempt';
import { shuttingDownError, toApiErrorOfBrokenStream, toApiErrorOfUpstreams } from './upstream-errors';
import { toChunk, type StreamIdentity } from './wire-chunk';
import { toCompletionUsage } from './wire-usage';

/**
 * A streamed answer: passed on as it comes, charged after its last content and before `[DONE]`. However it ends, what
 * was delivered is charged and nothing else. Throws what the client is to be told while nothing was sent; later failures
 * are told in the stream. What this code itself throws ends the stream too, with its call, and is thrown on for the log.
 */
export async function deliverStream(completion: Completion): Promise<void> {
  const delivery = new StreamDelivery(completion);
  try {
    await delivery.settle(await delivery.run());
  } catch (error) {
    if (delivery.hasBegun) {
      if (completion.hold.isOpen()) await delivery.settleFailed(toApiError(error), 'upstream_failed');
      else completion.client.failStream(toApiError(error));
    }
    throw error;
  } finally {
    delivery.close();
  }
}

type StreamEnd =
  | { kind: 'completed' }
  | { kind: 'client_gone' }
  | { kind: 'failed'; error: ApiError; outcome: UsageOutcome };

class StreamDelivery {
  readonly #completion: Completion;
  readonly #ended: Promise<StreamEnd>;
  #end!: (end: StreamEnd) => void;
  /** Which call is listened to: what a former one still has to say is passed over. */
  #attempt = 0;
  #call: UpstreamCall | undefined;
  /** The same call, as it is told to those who operate the service. */
  #told: UpstreamAttempt | undefined;
  #reader: StreamReader;
  #reported: UsageReport | undefined;
  /** Something was sent that says more than that an answer begins: no other route is asked any more. */
  #hasBegun = false;
  /** What came before that, held back. */
  #opening: ChunkChoice[] = [];
  #firstTokenMs: number | undefined;
  readonly #delivered: DeliveredStream;
  readonly #gate: OutputGate;
  readonly #limit: OutputLimit;
  readonly #identity: StreamIdentity;
  #clientHasRoom = true;

  constructor(completion: Completion) {
    this.#completion = completion;
    this.#delivered = new DeliveredStream({ longestKept: completion.hold.longestKept });
    const { id, createdAt, plan } = completion;
    this.#identity = { id, created: createdAt, model: plan.model.id };
    this.#reader = new StreamReader(completion.plan.choices);
    this.#limit = outputLimitOf(plan);
    this.#gate = new OutputGate({
      limit: this.#limit,
      choices: plan.choices,
      count: completion.countTexts,
      pass: (choices) => {
        this.#send(choices);
      },
      wait: () => this.#call?.pause(),
      go: () => {
        if (this.#clientHasRoom) this.#call?.resume();
      },
      onCut: () => {
        // What it would report is of more than was delivered.
        this.#reported = undefined;
        this.#leave();
        this.#end({ kind: 'completed' });
      },
      onError: (error) => {
        this.#stop({ kind: 'failed', error: toApiError(error), outcome: 'upstream_failed' });
      },
    });
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Passes the stream on until it has ended in one of its ways. */
  run(): Promise<StreamEnd> {
    const { client, shutdown } = this.#completion;
    client.gone.addEventListener('abort', this.#onGone);
    shutdown.addEventListener('abort', this.#onShutdown);
    client.onDrained(() => {
      this.#clientHasRoom = true;
      this.#call?.resume();
    });
    if (client.gone.aborted) this.#onGone();
    else if (shutdown.aborted) this.#onShutdown();
    else this.#ask([]);
    return this.#ended;
  }

  /** Nothing is listened to any more, and no call goes on. */
  close(): void {
    const { client, shutdown } = this.#completion;
    client.gone.removeEventListener('abort', this.#onGone);
    shutdown.removeEventListener('abort', this.#onShutdown);
    this.#leave();
  }

  readonly #onGone = (): void => {
    this.#stop({ kind: 'client_gone' });
  };

  readonly #onShutdown = (): void => {
    this.#stop({ kind: 'failed', error: shuttingDownError(), outcome: 'shutdown' });
  };

  async settle(end: StreamEnd): Promise<void> {
    switch (end.kind) {
      case 'completed':
        await this.#settleCompleted();
        return;
      case 'client_gone':
        await this.#settleGone();
        return;
      case 'failed':
        await this.settleFailed(end.error, end.outcome);
    }
  }

  /** The stream is complete. Charged is what the upstream counted, where the customer got all of it. */
  async #settleCompleted(): Promise<void> {
    const { client, hold, request } = this.#completion;
    await client.flushed();
    if (client.gone.aborted) {
      await this.#settleGone();
      return;
    }
    const reported = this.#plausible();
    const counted = reported ?? (await this.#countDelivered());
    const usage = toCompletionUsage(counted, hold.costOf(counted));
    const charge = {
      ...counted,
      outcome: 'completed' as const,
      estimated: reported === undefined,
      isReportImplausible: this.#reported !== undefined && reported === undefined,
      firstTokenMs: this.#firstTokenMs,
    };
    try {
      await hold.charge(charge, () => this.#toKept({ kind: 'done', usage }));
      const wanted = request.stream_options?.include_usage === true;
      client.endStream(wanted ? toChunk(this.#identity, [], usage) : undefined);
    } catch (error) {
      client.failStream(toApiError(error));
    }
  }

  /** Nobody reads any more. Whoever repeats the request has what was delivered, and is told that it is not all. */
  async #settleGone(): Promise<void> {
    await this.#settleDelivered('client_gone', new ApiError('service_unavailable'));
  }

  async settleFailed(error: ApiError, outcome: UsageOutcome): Promise<void> {
    const { client } = this.#completion;
    await client.flushed();
    if (!this.#hasBegun) {
      await this.#settleDelivered(outcome, error);
      throw error;
    }
    let told = error;
    try {
      await this.#settleDelivered(outcome, error);
    } catch (billingError) {
      told = toApiError(billingError);
    }
    client.failStream(told);
  }

  /** Charges what was delivered. Throws `billing_error` where that could not be recorded. */
  async #settleDelivered(outcome: UsageOutcome, error: ApiError): Promise<void> {
    const { hold } = this.#completion;
    if (this.#delivered.isEmpty) {
      await hold.release();
      return;
    }
    const counted = await this.#countDelivered();
    const reported = this.#plausible();
    const charge = {
      promptTokens: reported?.promptTokens ?? counted.promptTokens,
      completionTokens: Math.min(counted.completionTokens, reported?.completionTokens ?? Infinity),
      outcome,
      estimated: true,
      firstTokenMs: this.#firstTokenMs,
    };
    await hold.charge(charge, () => this.#toKept({ kind: 'failed', error: toKeptError(error) }));
  }

  /** Nothing where it is too long to be kept. */
  #toKept(end: KeptStream['end']): KeptStream | undefined {
    const { choices } = this.#delivered;
    return choices && { kind: 'stream', ...this.#identity, choices, end };
  }

  /** Asks the route after those that have failed. */
  #ask(failed: readonly FailedCall[]): void {
    const { plan, request, accountId, beginAttempt } = this.#completion;
    const target = nextTarget(plan.targets, failed);
    if (!target) {
      void this.#failBeforeOutput(failed);
      return;
    }
    const attempt = ++this.#attempt;
    const isListenedTo = (): boolean => attempt === this.#attempt;
    const { route, client } = target;
    const limits = { request, maxOutputTokens: plan.maxOutputTokens };
    this.#reader = new StreamReader(plan.choices);
    this.#reported = undefined;
    this.#opening = [];
    const body = toUpstreamBody(limits, client.upstream, route.upstreamModel);
    const isUp = client.watchHealth(route.upstreamModel);
    const told = beginAttempt(target);
    this.#told = told;
    this.#call = client.stream(
      { upstreamModel: route.upstreamModel, accountId, body },
      {
        onData: (data) => {
          if (isListenedTo()) this.#take(data);
        },
        onEnd: () => {
          if (isListenedTo()) this.#takeEnd();
        },
        onFailure: (failure) => {
          if (!isListenedTo()) return;
          this.#orBreak(() => {
            told.failed(failure);
            if (this.#hasBegun) this.#fail(toApiErrorOfBrokenStream(failure));
            else this.#ask([...failed, { target, failure, isUp }]);
          });
        },
      },
    );
  }

  /** The end of the stream, said or not. Throws where it comes too early. */
  #takeEnd(): void {
    if (!this.#reader.isFinished) {
      const cause = new Error('the stream ended before every choice had its finish');
      throw new UpstreamFailure('unavailable', { status: 200, cause });
    }
    this.#attempt++;
    this.#call?.settle();
    this.#call = undefined;
    this.#told?.answered();
    this.#gate.whenEmpty(() => {
      this.#end({ kind: 'completed' });
    });
  }

  /** One event of the stream. Throws where it is not one. */
  #take(data: string): void {
    const event = this.#reader.read(data);
    if (event.kind === 'done') {
      this.#takeEnd();
      return;
    }
    this.#reported = event.usage ?? this.#reported;
    if (event.kind === 'choices') this.#passOn(event.choices);
  }

  /**
   * A piece that says nothing yet (most servers begin with one that only names the role) is sent with the first one
   * that does. Until then another route may be asked.
   */
  #passOn(choices: ChunkChoice[]): void {
    if (!this.#hasBegun && choices.every(saysNothing)) {
      for (const choice of choices) {
        const isHeld = this.#opening.some(({ index }) => index === choice.index);
        if (!isHeld && this.#opening.length < this.#completion.plan.choices) this.#opening.push(choice);
      }
      return;
    }
    this.#hasBegun = true;
    const opening = this.#opening.splice(0);
    if (opening.length > 0) this.#gate.offer(opening);
    this.#gate.offer(choices);
  }

  #send(choices: ChunkChoice[]): void {
    const { client, startedAtMs, now, request } = this.#completion;
    if (this.#firstTokenMs === undefined && textOfChunk(choices) !== '')
      this.#firstTokenMs = Math.round(now() - startedAtMs);
    const usage = request.stream_options?.include_usage === true ? null : undefined;
    const hasRoom = client.sendChunk(toChunk(this.#identity, choices, usage), () => {
      this.#orBreak(() => {
        this.#delivered.note(choices);
      });
    });
    if (hasRoom) return;
    this.#clientHasRoom = false;
    this.#call?.pause();
  }

  async #failBeforeOutput(failed: readonly FailedCall[]): Promise<void> {
    this.#fail(await toApiErrorOfUpstreams(failed, this.#completion.request));
  }

  #fail(error: ApiError): void {
    const outcome = error.code === 'upstream_timeout' ? 'upstream_timeout' : 'upstream_failed';
    this.#end({ kind: 'failed', error, outcome });
  }

  #stop(end: StreamEnd): void {
    this.#leave();
    this.#end(end);
  }

  #leave(): void {
    this.#attempt++;
    this.#gate.close();
    this.#call?.abort();
    this.#call = undefined;
    this.#told?.left();
  }

  /** Whoever calls this code from a socket cannot be told what it throws: the stream ends with it. */
  #orBreak(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#stop({ kind: 'failed', error: toApiError(error), outcome: 'upstream_failed' });
    }
  }

  #plausible(): ReportedUsage | undefined {
    const { plan } = this.#completion;
    return plausibleUsage(this.#reported, {
      contextWindow: plan.model.contextWindow,
      maxOutputTokens: this.#limit.tokens,
      outputLength: this.#delivered.length,
    });
  }

  async #countDelivered(): Promise<TokenUsage> {
    const counted = await this.#completion.countUsage(this.#delivered.texts());
    return { ...counted, completionTokens: Math.min(counted.completionTokens, this.#limit.tokens) };
  }
}

function saysNothing(choice: ChunkChoice): boolean {
  return (
    choice.finish_reason === null && choice.delta.tool_calls === undefined && textOfChunk([choice]) === ''
  );
}
