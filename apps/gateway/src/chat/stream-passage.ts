import type { TokenUsage } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import { UpstreamFailure } from '../upstream/failure';
import { stopsOf, type ChunkChoice } from '../upstream/answers';
import { StreamReader, textOfChunk, textOfChunkChoice } from '../upstream/stream-reader';
import type { ReadUsage, UsageReport } from '../upstream/usage/report';
import type { CountedUsage } from '../tokens/prompt-counts';
import { isOfOneChoice, plausibleUsage } from '../upstream/usage/plausible-usage';
import { UpstreamCalls, type CallEvents, type CallsEnd } from '../upstream/upstream-calls';
import type { AnswerIdentity, Completion } from './completion';
import { DeliveredStream } from './delivered-stream';
import { mostWorked, usageOfBroken, usageOfShare } from './left-usage';
import { OutputGate } from './output-gate';
import { outputLimitOf, type OutputLimit } from './output-limit';

/** How long an upstream is read on whose customer has left. */
const READ_ON_MS = 10_000;
/** So much is read on in any case: the last words of a short response. */
const LEAST_READ_ON_LENGTH = 4_096;

export type StreamEnd = { kind: 'completed' } | CallsEnd;

/**
 * Passes the stream of an upstream on to the customer as it comes, up to the limit of its output, and knows what of it
 * was delivered.
 */
export class StreamPassage {
  readonly identity: AnswerIdentity;
  readonly delivered: DeliveredStream;
  readonly #completion: Completion;
  readonly #calls: UpstreamCalls;
  readonly #gate: OutputGate;
  readonly #limit: OutputLimit;
  readonly #ended: Promise<StreamEnd>;
  #end!: (end: StreamEnd) => void;
  #reader: StreamReader;
  /** The upstream's report is of more than was delivered. */
  #isCut = false;
  #hasBegun = false;
  /** The hold is durable: what comes from now on may be delivered. */
  #isDurable = false;
  /** What is to be done once it is. */
  #deferred: (() => void)[] = [];
  /** What came before the stream has begun, held back. */
  #opening: ChunkChoice[] = [];
  #firstTokenMs: number | undefined;
  #clientHasRoom = true;
  /** Characters that the upstream has written. */
  #writtenLength = 0;
  /** Set while nothing is passed on any more, and the usage that the upstream reports at its end is waited for. */
  #readingOn: { untilLength: number; timer: NodeJS.Timeout } | undefined;

  constructor(completion: Completion) {
    this.#completion = completion;
    this.delivered = new DeliveredStream({ longestKept: completion.hold.longestKept });
    const { id, createdAt, plan } = completion;
    this.identity = { id, created: createdAt, model: plan.model.id };
    this.#reader = new StreamReader(plan.choices, stopsOf(completion.request));
    this.#limit = outputLimitOf(plan);
    this.#calls = new UpstreamCalls(completion, {
      hasBegun: () => this.#hasBegun,
      readsOn: () => this.#readOn(),
      send: (client, ask, events) => client.stream(ask, this.#newSink(events)),
      onEnd: (end) => {
        this.#deferred = [];
        if (this.#readingOn) {
          this.#end({ kind: 'client_gone' });
          return;
        }
        if (end.kind === 'failed') {
          // What came before is the customer's, and is charged with the rest: it may still be counted.
          this.#gate.whenEmpty(() => {
            this.#end(end);
          });
          return;
        }
        this.#gate.close();
        this.#end(end);
      },
    });
    this.#gate = new OutputGate({
      limit: this.#limit,
      choices: plan.choices,
      count: completion.countTexts,
      words: completion.words,
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
        this.#isCut = true;
        this.#calls.leave();
        this.#end({ kind: 'completed' });
      },
      onError: (error) => {
        if (error instanceof ApiError) this.#calls.fail(error);
        else this.#calls.break(error);
      },
    });
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Something was sent that says more than that a response begins: no other route is asked any more. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether something was delivered that a customer pays for who leaves: sealed reasoning too, which they can use. */
  get mayBePaid(): boolean {
    return !this.delivered.isEmpty || this.delivered.hasSeals;
  }

  get firstTokenMs(): number | undefined {
    return this.#firstTokenMs;
  }

  /** The upstream's report, whether or not it can be true. */
  get reported(): UsageReport | undefined {
    return this.#isCut ? undefined : this.#reader.usage;
  }

  /** Passes the stream on until it has ended in one of its ways. */
  run(): Promise<StreamEnd> {
    this.#completion.client.onDrained(() => {
      if (this.#clientHasRoom) return;
      this.#clientHasRoom = true;
      this.#calls.resume();
    });
    const durable = this.#completion.hold.durable();
    this.#isDurable = durable === undefined;
    this.#calls.begin();
    if (durable) void this.#awaitHold(durable);
    return this.#ended;
  }

  async #awaitHold(durable: Promise<void>): Promise<void> {
    try {
      await durable;
    } catch (thrown) {
      if (thrown instanceof ApiError) this.#calls.fail(thrown);
      else this.#calls.break(thrown);
      return;
    }
    this.#isDurable = true;
    if (this.#deferred.length === 0) return;
    for (const work of this.#deferred.splice(0)) this.#calls.guard(work);
    if (this.#clientHasRoom) this.#calls.resume();
  }

  /** Does what delivers something: at once, or after the hold is durable. */
  #onceDurable(work: () => void): void {
    if (this.#isDurable) {
      this.#calls.guard(work);
      return;
    }
    if (this.#deferred.length === 0) this.#calls.pause();
    this.#deferred.push(work);
  }

  /** Nothing is passed on any more, and no call goes on. */
  close(): void {
    clearTimeout(this.#readingOn?.timer);
    this.#gate.close();
    this.#calls.close();
  }

  /** What the upstream has reported, if it can be true. */
  plausibleUsage(): ReadUsage | undefined {
    const { plan, canBePrompt, showsCache } = this.#completion;
    return plausibleUsage(this.reported, {
      contextWindow: plan.model.contextWindow,
      maxOutputTokens: this.#limit.tokens,
      outputLength: this.delivered.length,
      canBePrompt,
      showsCache: showsCache(),
    });
  }

  /** What the upstream has reported of a complete stream, if it can be true of all its choices. */
  async believedUsage(): Promise<ReadUsage | undefined> {
    const reported = this.plausibleUsage();
    if (!reported) return undefined;
    const { countTexts } = this.#completion;
    return (await isOfOneChoice(reported, this.delivered.texts(), countTexts)) ? undefined : reported;
  }

  /** The prompt, and what was delivered, as counted here. */
  async countDelivered(): Promise<CountedUsage> {
    const counted = await this.#completion.countUsage(this.delivered.texts());
    return { ...counted, completionTokens: Math.min(counted.completionTokens, this.#limit.tokens) };
  }

  /** Usage of a stream that its customer has left. `counted`: the result of `countDelivered`. */
  async usageOfLeft(counted: TokenUsage): Promise<TokenUsage> {
    const reported = await this.believedUsage();
    // What has no text but its seals was delivered with them.
    const share = this.#writtenLength === 0 ? 1 : this.delivered.length / this.#writtenLength;
    return reported ? usageOfShare(reported, share, counted.completionTokens) : counted;
  }

  /** The same of a stream that its upstream has broken off, or that was ended here. */
  usageOfBroken(counted: TokenUsage): TokenUsage {
    const reported = this.plausibleUsage();
    return reported ? usageOfBroken(reported, counted.completionTokens) : counted;
  }

  /** All that the upstream has done for a stream that was left: as it reports, or as much as it may have written by now. */
  async workedUsage(charged: TokenUsage): Promise<TokenUsage> {
    const reported = await this.believedUsage();
    if (reported) return reported;
    const { plan, hold } = this.#completion;
    return mostWorked(plan, charged, hold.askedForMs() ?? 0);
  }

  /**
   * The customer has left. Of a stream that has delivered something the upstream is read on for the usage that it reports at
   * its end, which says how much it has thought. It is left as well if it takes long, or writes as much again as was
   * delivered: nobody pays for that.
   */
  #readOn(): boolean {
    if (this.#readingOn || !this.mayBePaid) return false;
    const timer = setTimeout(this.#leave, READ_ON_MS);
    const more = Math.max(LEAST_READ_ON_LENGTH, this.delivered.length);
    this.#readingOn = { untilLength: this.#writtenLength + more, timer };
    this.#deferred = [];
    this.#gate.close();
    this.#calls.resume();
    return true;
  }

  readonly #leave = (): void => {
    this.#calls.leave();
    this.#end({ kind: 'client_gone' });
  };

  /** Listens to another call: nothing of a former one counts. */
  #newSink({ isCurrent, onFailure }: CallEvents) {
    this.#reader = new StreamReader(this.#completion.plan.choices, stopsOf(this.#completion.request));
    this.#writtenLength = 0;
    this.#opening = [];
    this.#deferred = [];
    return {
      onData: (data: string) => {
        if (isCurrent()) this.#take(data);
      },
      onEnd: () => {
        if (isCurrent()) this.#takeEnd();
      },
      onFailure: (failure: UpstreamFailure) => {
        const tell = (): void => {
          onFailure(failure);
        };
        // What came before it is delivered before it: how fast the disk is decides nothing else.
        if (isCurrent() && this.#deferred.length > 0) this.#deferred.push(tell);
        else tell();
      },
    };
  }

  /** One event of the stream. Throws if it is not one, and nothing else. */
  #take(data: string): void {
    const event = this.#reader.read(data);
    if (event.kind === 'done') {
      this.#takeEnd();
      return;
    }
    if (event.kind !== 'choices') return;
    const { choices } = event;
    this.#writtenLength += textOfChunk(choices).length;
    if (this.#readingOn) {
      if (this.#writtenLength > this.#readingOn.untilLength) this.#leave();
      return;
    }
    this.#onceDurable(() => {
      this.#passOn(choices);
    });
  }

  /** The end of the stream, said or not. Throws if it comes too early, and nothing else. */
  #takeEnd(): void {
    if (!this.#reader.isFinished) {
      const cause = new Error('the stream ended before every choice had its finish');
      throw new UpstreamFailure('unavailable', { status: 200, cause });
    }
    this.#calls.guard(() => {
      this.#calls.answered();
      if (this.#readingOn) this.#end({ kind: 'client_gone' });
      else
        this.#onceDurable(() => {
          this.#gate.whenEmpty(() => {
            this.#end({ kind: 'completed' });
          });
        });
    });
  }

  /**
   * A piece that says nothing yet (most servers begin with one that only names the role) is sent with the first one
   * that does. Until then another route may be asked.
   */
  #passOn(choices: ChunkChoice[]): void {
    if (!this.#hasBegun && choices.every(isEmptyDelta)) {
      for (const choice of choices) {
        const isHeld = this.#opening.some(({ index }) => index === choice.index);
        if (!isHeld && this.#opening.length < this.#completion.plan.choices) this.#opening.push(choice);
      }
      return;
    }
    this.#hasBegun = true;
    this.#completion.tellOmitted();
    const opening = this.#opening.splice(0);
    if (opening.length > 0) this.#gate.offer(opening);
    this.#gate.offer(choices);
  }

  #send(choices: ChunkChoice[]): void {
    const { client, startedAtMs, now } = this.#completion;
    if (this.#firstTokenMs === undefined && textOfChunk(choices) !== '')
      this.#firstTokenMs = Math.round(now() - startedAtMs);
    const hasRoom = client.sendChunk(this.identity, choices, () => {
      this.#calls.guard(() => {
        this.delivered.note(choices);
      });
    });
    if (hasRoom) return;
    this.#clientHasRoom = false;
    this.#calls.pause();
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
