import { ApiError } from '@farebox/errors';
import type { ChunkChoice } from '../upstream/answers';
import { UpstreamFailure } from '../upstream/failure';
import type { UpstreamCall } from '../upstream/running-call';
import { stopsOf } from '../upstream/answers';
import { StreamReader, textOfChunk, textOfChunkChoice } from '../upstream/stream-reader';
import { UpstreamCalls, type AnswerTaker, type CallEvents, type CallsEnd } from '../upstream/upstream-calls';
import type { UpstreamAsk, UpstreamClient } from '../upstream/upstream-client';
import type { UsageReport } from '../upstream/usage/report';
import type { AnswerIdentity, Completion } from './completion';
import { DeliveredStream } from './delivered-stream';
import { OutputGate } from './output-gate';
import { outputLimitOf, type OutputLimit } from './output-limit';

/** How long to keep reading an upstream whose customer has left. */
const READ_ON_MS = 10_000;
/** Characters that are read in any case: the last words of a short response. */
const LEAST_READ_ON_LENGTH = 4_096;

export type StreamEnd = { kind: 'completed' } | CallsEnd;

const COMPLETED: StreamEnd = { kind: 'completed' };
const CLIENT_GONE: StreamEnd = { kind: 'client_gone' };

type Mode = 'opening' | 'passing' | 'finishing' | 'reading_on' | 'cut' | 'ended';

/**
 * The passage takes one stream from its upstream to the customer, up to the limit of its output, and knows what of it was
 * delivered. An event is read (`#read`), held back until the hold is durable (`#take`), measured (`#offer`) and sent
 * (`#send`). All that happens to a stream arrives here: its events and its failure, the end of all its calls, a customer
 * who leaves or has room again, and the hold that becomes durable.
 *
 * It is in one of these modes, and only moves down the list:
 *
 * - `opening`: nothing was passed on that says more than that a response begins, so another route may still be asked. A
 *   piece that says nothing yet (most servers begin with one that only names the role) is kept, and sent with the first
 *   one that does.
 * - `passing`: pieces are sent as they come. No other route is asked any more.
 * - `finishing`: nothing more comes from the upstream, but something that came is not sent yet. It is `ended` when all is.
 * - `reading_on`: the customer has left. Nothing is sent; the upstream is read on for the usage that it reports at its end,
 *   as long as that does not take long.
 * - `cut`: the limit of output is reached. All within it was sent, with a finish for each choice, and the upstream's report
 *   is of more than that. For everybody else the stream is complete.
 * - `ended`: `run` has resolved.
 *
 * In `opening` and `passing` the upstream is paused while any of three things is waited for: the disk, because nothing may
 * be delivered before the hold is durable; a count, because nothing may be sent that could be past the limit; and the
 * customer, who may read slowly. That is no mode of its own, because the three overlap (`#goOn`).
 *
 * Sockets call this code, and cannot handle an error of ours. Code that may throw for another reason than a broken response
 * runs in `guard` of the calls, which ends the stream with the error.
 */
export class StreamPassage implements AnswerTaker {
  readonly identity: AnswerIdentity;
  readonly delivered: DeliveredStream;
  readonly limit: OutputLimit;
  readonly #completion: Completion;
  readonly #calls: UpstreamCalls;
  readonly #gate: OutputGate;
  readonly #ended: Promise<StreamEnd>;
  #resolve!: (end: StreamEnd) => void;
  #mode: Mode = 'opening';
  #hasBegun = false;
  #reader: StreamReader;
  /** Kept in `opening`: one piece of each choice. */
  #opening: ChunkChoice[] = [];
  #isDurable = false;
  /** Arrived, with the failure, before the hold was durable. */
  #held: ChunkChoice[][] = [];
  #heldFailure: { events: CallEvents; failure: UpstreamFailure } | undefined;
  #clientHasRoom = true;
  #firstTokenMs: number | undefined;
  #writtenLength = 0;
  /** How a `finishing` stream will end. */
  #end: StreamEnd = COMPLETED;
  /** Timer of `reading_on`. */
  #readsOnTo = 0;
  #readOnTimer: NodeJS.Timeout | undefined;

  constructor(completion: Completion) {
    const { id, createdAt, plan, hold, request } = completion;
    this.#completion = completion;
    this.delivered = new DeliveredStream({ longestKept: hold.longestKept });
    this.identity = { id, created: createdAt, model: plan.model.id };
    this.limit = outputLimitOf(plan);
    this.#reader = new StreamReader(plan.choices, stopsOf(request));
    this.#calls = new UpstreamCalls(completion, this);
    this.#gate = new OutputGate({
      limit: this.limit,
      choices: plan.choices,
      count: completion.countTexts,
      words: completion.words,
    });
    this.#ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Something was sent that says more than that a response begins, so no other route is asked. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether a customer who leaves pays for anything delivered. Sealed reasoning counts, because they can use it. */
  get mayBePaid(): boolean {
    return !this.delivered.isEmpty || this.delivered.hasSeals;
  }

  get firstTokenMs(): number | undefined {
    return this.#firstTokenMs;
  }

  /** The upstream's report, whether or not it is plausible. */
  get reported(): UsageReport | undefined {
    return this.#mode === 'cut' ? undefined : this.#reader.usage;
  }

  /** Characters that the upstream has written, delivered or not. */
  get writtenLength(): number {
    return this.#writtenLength;
  }

  /** Passes the stream on until it has ended. */
  run(): Promise<StreamEnd> {
    const { client, hold } = this.#completion;
    client.onDrained(() => {
      if (this.#clientHasRoom) return;
      this.#clientHasRoom = true;
      this.#goOn();
    });
    const durable = hold.durable();
    this.#isDurable = durable === undefined;
    this.#calls.begin();
    if (durable) void this.#awaitHold(durable);
    return this.#ended;
  }

  /** Nothing is passed on any more, and no call is running. */
  close(): void {
    clearTimeout(this.#readOnTimer);
    this.#gate.close();
    this.#calls.close();
  }

  /** For `AnswerTaker`. Listens to another call: nothing of the former call counts. */
  send(client: UpstreamClient, ask: UpstreamAsk, events: CallEvents): UpstreamCall {
    this.#reader = new StreamReader(this.#completion.plan.choices, stopsOf(this.#completion.request));
    this.#writtenLength = 0;
    this.#opening = [];
    this.#dropHeld();
    return client.stream(ask, {
      onData: (data) => {
        if (events.isCurrent()) this.#read(data);
      },
      onEnd: () => {
        if (events.isCurrent()) this.#readEnd();
      },
      onFailure: (failure) => {
        // Earlier events are delivered first, so the speed of the disk decides nothing else.
        if (events.isCurrent() && this.#held.length > 0) this.#heldFailure = { events, failure };
        else events.onFailure(failure);
      },
    });
  }

  /**
   * For `AnswerTaker`. The customer has left. If something was delivered, the upstream is read on, but it is aborted
   * if it takes long or writes as much again as was delivered: nobody pays for that.
   */
  readsOn(): boolean {
    const isReading = this.#mode === 'opening' || this.#mode === 'passing';
    if (!isReading || !this.mayBePaid) return false;
    this.#mode = 'reading_on';
    this.#readsOnTo = this.#writtenLength + Math.max(LEAST_READ_ON_LENGTH, this.delivered.length);
    this.#readOnTimer = setTimeout(this.#leave, READ_ON_MS);
    this.#gate.close();
    this.#dropHeld();
    this.#calls.resume();
    return true;
  }

  /** For `AnswerTaker`. All calls have ended or were aborted. */
  onEnd(end: CallsEnd): void {
    this.#dropHeld();
    if (this.#mode === 'reading_on') this.#endWith(CLIENT_GONE);
    // Earlier pieces belong to the customer and are charged with the rest; they may still have to be counted.
    else if (end.kind === 'failed') this.#finish(end);
    else this.#endWith(end);
  }

  /** Reads one event of the stream. Throws only if it is not a valid event. */
  #read(data: string): void {
    const event = this.#reader.read(data);
    if (event.kind === 'done') this.#readEnd();
    else if (event.kind === 'choices') this.#take(event.choices);
  }

  /** Reads the end of the stream, announced or not. Throws only if it comes too early. */
  #readEnd(): void {
    if (!this.#reader.isFinished) {
      const cause = new Error('the stream ended before every choice had its finish');
      throw new UpstreamFailure('unavailable', { status: 200, cause });
    }
    this.#calls.guard(() => {
      this.#calls.answered();
      if (this.#mode === 'reading_on') this.#endWith(CLIENT_GONE);
      else this.#finish(COMPLETED);
    });
  }

  /** Does not throw. */
  #take(choices: ChunkChoice[]): void {
    this.#writtenLength += textOfChunk(choices).length;
    if (this.#mode === 'reading_on') {
      if (this.#writtenLength > this.#readsOnTo) this.#leave();
      return;
    }
    if (!this.#isDurable) {
      if (this.#held.length === 0) this.#calls.pause();
      this.#held.push(choices);
      return;
    }
    try {
      this.#passOn(choices);
    } catch (thrown) {
      this.#calls.break(thrown);
    }
  }

  async #awaitHold(durable: Promise<void>): Promise<void> {
    try {
      await durable;
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    this.#isDurable = true;
    const held = this.#held.splice(0);
    const heldFailure = this.#heldFailure;
    this.#calls.guard(() => {
      for (const choices of held) this.#passOn(choices);
      this.#endIfFinished();
    });
    heldFailure?.events.onFailure(heldFailure.failure);
    if (held.length > 0) this.#goOn();
  }

  #passOn(choices: ChunkChoice[]): void {
    if (!this.#hasBegun) {
      if (choices.every(isEmptyDelta)) {
        this.#keepOpening(choices);
        return;
      }
      this.#begin();
    }
    this.#offer(choices);
  }

  #keepOpening(choices: readonly ChunkChoice[]): void {
    for (const choice of choices) {
      const isKept = this.#opening.some(({ index }) => index === choice.index);
      if (!isKept && this.#opening.length < this.#completion.plan.choices) this.#opening.push(choice);
    }
  }

  #begin(): void {
    this.#hasBegun = true;
    if (this.#mode === 'opening') this.#mode = 'passing';
    this.#completion.tellOmitted();
    this.#completion.forgetBytes();
    if (this.#opening.length > 0) this.#offer(this.#opening);
    this.#opening = [];
  }

  #offer(choices: ChunkChoice[]): void {
    if (!this.#isSending) return;
    if (this.#gate.take(choices)) this.#send(choices);
    else if (!this.#gate.isCounting) void this.#count();
  }

  /** Sends held-back pieces as far as they are within the limit. */
  async #count(): Promise<void> {
    this.#calls.pause();
    try {
      const isCut = await this.#gate.count((choices) => {
        if (this.#isSending) this.#send(choices);
      });
      if (!this.#isSending) return;
      if (isCut) {
        this.#cut();
        return;
      }
    } catch (thrown) {
      if (this.#isSending) this.#fail(thrown);
      return;
    }
    this.#goOn();
    this.#endIfFinished();
  }

  #send(choices: ChunkChoice[]): void {
    const { client, startedAtMs, now } = this.#completion;
    if (this.#firstTokenMs === undefined && textOfChunk(choices) !== '')
      this.#firstTokenMs = Math.round(now() - startedAtMs);
    const hasRoom = client.sendChunk(this.identity, choices, () => {
      this.#noteDelivered(choices);
    });
    if (hasRoom) return;
    this.#clientHasRoom = false;
    this.#calls.pause();
  }

  #noteDelivered(choices: readonly ChunkChoice[]): void {
    try {
      this.delivered.note(choices);
    } catch (thrown) {
      this.#calls.break(thrown);
    }
  }

  /** Resumes the upstream, if nothing is waited for any more. */
  #goOn(): void {
    if (this.#held.length === 0 && this.#clientHasRoom && !this.#gate.isCounting) this.#calls.resume();
  }

  /** Any further piece is sent, now or later. */
  get #isSending(): boolean {
    return this.#mode === 'opening' || this.#mode === 'passing' || this.#mode === 'finishing';
  }

  #finish(end: StreamEnd): void {
    if (!this.#isSending) return;
    this.#mode = 'finishing';
    this.#end = end;
    this.#endIfFinished();
  }

  /** A failure says nothing about the disk: if the disk is waited for, nothing was sent, and nothing will be. */
  #endIfFinished(): void {
    if (this.#mode !== 'finishing' || this.#gate.isCounting) return;
    if (this.#isDurable || this.#end.kind === 'failed') this.#endWith(this.#end);
  }

  #cut(): void {
    this.#mode = 'cut';
    this.#calls.leave();
    this.#resolve(COMPLETED);
  }

  readonly #leave = (): void => {
    this.#calls.leave();
    this.#endWith(CLIENT_GONE);
  };

  #endWith(end: StreamEnd): void {
    if (this.#mode === 'cut' || this.#mode === 'ended') return;
    this.#mode = 'ended';
    this.#gate.close();
    this.#resolve(end);
  }

  /** Ends the stream because a hold or a count is missing. */
  #fail(thrown: unknown): void {
    if (thrown instanceof ApiError) this.#calls.fail(thrown);
    else this.#calls.break(thrown);
  }

  #dropHeld(): void {
    this.#held = [];
    this.#heldFailure = undefined;
  }
}

function isEmptyDelta(choice: ChunkChoice): boolean {
  return (
    choice.finish_reason === null &&
    choice.delta.tool_calls === undefined &&
    choice.delta.reasoning_details === undefined &&
    textOfChunkChoice(choice) === ''
  );
}
