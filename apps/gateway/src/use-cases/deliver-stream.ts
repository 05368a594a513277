import type { TokenUsage } from '@farebox/catalog';
import { ApiError, toApiError } from '@farebox/errors';
import type { UsageOutcome } from '@farebox/ledger';
import type { ReportedUsage, UsageReport } from '../upstream/answer-parts';
import { UpstreamFailure } from '../upstream/failure';
import { StreamReader, textOfChunk, type ChunkChoice } from '../upstream/stream-answer';
import type { AnswerIdentity, Completion } from './completion';
import { DeliveredStream } from './delivered-stream';
import { toKeptError, type KeptStream } from './kept-answers';
import { OutputGate } from './output-gate';
import { outputLimitOf, plausibleUsage, type OutputLimit } from './output-limit';
import { UpstreamCalls, type CallEvents, type CallsEnd } from './upstream-calls';

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
    await delivery.breakOff(error);
    throw error;
  } finally {
    delivery.close();
  }
}

type StreamEnd = { kind: 'completed' } | CallsEnd;

class StreamDelivery {
  readonly #completion: Completion;
  readonly #calls: UpstreamCalls;
  readonly #ended: Promise<StreamEnd>;
  #end!: (end: StreamEnd) => void;
  #reader: StreamReader;
  #reported: UsageReport | undefined;
  /** Something was sent that says more than that an answer begins: no other route is asked any more. */
  #hasBegun = false;
  /** The customer was told that the stream failed. */
  #hasFailed = false;
  /** What came before that, held back. */
  #opening: ChunkChoice[] = [];
  #firstTokenMs: number | undefined;
  readonly #delivered: DeliveredStream;
  readonly #gate: OutputGate;
  readonly #limit: OutputLimit;
  readonly #identity: AnswerIdentity;
  #clientHasRoom = true;

  constructor(completion: Completion) {
    this.#completion = completion;
    this.#delivered = new DeliveredStream({ longestKept: completion.hold.longestKept });
    const { id, createdAt, plan } = completion;
    this.#identity = { id, created: createdAt, model: plan.model.id };
    this.#reader = new StreamReader(plan.choices);
    this.#limit = outputLimitOf(plan);
    this.#calls = new UpstreamCalls(completion, {
      hasBegun: () => this.#hasBegun,
      send: (client, ask, events) => client.stream(ask, this.#newSink(events)),
      onEnd: (end) => {
        if (end.kind !== 'failed') this.#gate.close();
        this.#end(end);
      },
    });
    this.#gate = new OutputGate({
      limit: this.#limit,
      choices: plan.choices,
      count: completion.countTexts,
      pass: (choices) => {
        this.#send(choices);
      },
      wait: () => {
        this.#calls.pause();
      },
      go: () => {
        if (this.#clientHasRoom) this.#calls.resume();
      },
      onCut: () => {
        // What it would report is of more than was delivered.
        this.#reported = undefined;
        this.#calls.leave();
        this.#end({ kind: 'completed' });
      },
      onError: (error) => {
        this.#calls.break(error);
      },
    });
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Passes the stream on until it has ended in one of its ways. */
  run(): Promise<StreamEnd> {
    this.#completion.client.onDrained(() => {
      this.#clientHasRoom = true;
      this.#calls.resume();
    });
    this.#calls.begin();
    return this.#ended;
  }

  close(): void {
    this.#gate.close();
    this.#calls.close();
  }

  async settle(end: StreamEnd): Promise<void> {
    switch (end.kind) {
      case 'completed':
        await this.#settleCompleted();
        return;
      case 'client_gone':
        await this.#settleGone();
        return;
      case 'shutdown':
        await this.#settleFailed(end.error, 'shutdown');
        return;
      case 'failed': {
        const isLate = end.error.code === 'upstream_timeout';
        await this.#settleFailed(end.error, isLate ? 'upstream_timeout' : 'upstream_failed');
        return;
      }
      case 'broken':
        throw end.thrown;
    }
  }

  /** Ends a stream in which this code itself has failed, unless it has not begun: then it is no stream yet. */
  async breakOff(thrown: unknown): Promise<void> {
    if (!this.#hasBegun || this.#hasFailed) return;
    if (this.#completion.hold.isOpen()) await this.#settleFailed(toApiError(thrown), 'upstream_failed');
    else this.#fail(toApiError(thrown));
  }

  /** The stream is complete. Charged is what the upstream counted, where the customer got all of it. */
  async #settleCompleted(): Promise<void> {
    const { client, hold } = this.#completion;
    await client.flushed();
    if (client.gone.aborted) {
      await this.#settleGone();
      return;
    }
    const reported = this.#plausible();
    const counted = reported ?? (await this.#countDelivered());
    const usage = client.toUsage(counted, hold.costOf(counted));
    const charge = {
      ...counted,
      outcome: 'completed' as const,
      estimated: reported === undefined,
      isReportImplausible: this.#reported !== undefined && reported === undefined,
      firstTokenMs: this.#firstTokenMs,
    };
    try {
      await hold.charge(charge, () => this.#toKept({ kind: 'done', usage }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#fail(error);
      return;
    }
    client.endStream(this.#identity, usage);
  }

  /** Nobody reads any more. Whoever repeats the request has what was delivered, and is told that it is not all. */
  async #settleGone(): Promise<void> {
    await this.#settleDelivered('client_gone', new ApiError('service_unavailable'));
  }

  async #settleFailed(error: ApiError, outcome: UsageOutcome): Promise<void> {
    await this.#completion.client.flushed();
    if (!this.#hasBegun) {
      await this.#settleDelivered(outcome, error);
      throw error;
    }
    try {
      await this.#settleDelivered(outcome, error);
    } catch (thrown) {
      this.#fail(toApiError(thrown));
      if (!(thrown instanceof ApiError)) throw thrown;
      return;
    }
    this.#fail(error);
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

  #fail(error: ApiError): void {
    this.#hasFailed = true;
    this.#completion.client.failStream(error);
  }

  /** Nothing where it is too long to be kept. */
  #toKept(end: KeptStream['end']): KeptStream | undefined {
    const { choices } = this.#delivered;
    return choices && { kind: 'stream', ...this.#identity, choices, end };
  }

  /** Listens to another call: nothing of a former one counts. */
  #newSink({ isCurrent, onFailure }: CallEvents) {
    this.#reader = new StreamReader(this.#completion.plan.choices);
    this.#reported = undefined;
    this.#opening = [];
    return {
      onData: (data: string) => {
        if (isCurrent()) this.#take(data);
      },
      onEnd: () => {
        if (isCurrent()) this.#takeEnd();
      },
      onFailure,
    };
  }

  /** One event of the stream. Throws where it is not one, and nothing else. */
  #take(data: string): void {
    const event = this.#reader.read(data);
    if (event.kind === 'done') {
      this.#takeEnd();
      return;
    }
    this.#reported = event.usage ?? this.#reported;
    if (event.kind !== 'choices') return;
    const { choices } = event;
    this.#calls.guard(() => {
      this.#passOn(choices);
    });
  }

  /** The end of the stream, said or not. Throws where it comes too early, and nothing else. */
  #takeEnd(): void {
    if (!this.#reader.isFinished) {
      const cause = new Error('the stream ended before every choice had its finish');
      throw new UpstreamFailure('unavailable', { status: 200, cause });
    }
    this.#calls.guard(() => {
      this.#calls.answered();
      this.#gate.whenEmpty(() => {
        this.#end({ kind: 'completed' });
      });
    });
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
    const { client, startedAtMs, now } = this.#completion;
    if (this.#firstTokenMs === undefined && textOfChunk(choices) !== '')
      this.#firstTokenMs = Math.round(now() - startedAtMs);
    const hasRoom = client.sendChunk(this.#identity, choices, () => {
      this.#calls.guard(() => {
        this.#delivered.note(choices);
      });
    });
    if (hasRoom) return;
    this.#clientHasRoom = false;
    this.#calls.pause();
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
