/**
 * The batcher: everything in this process that waits for the ledger goes to PostgreSQL as one call, and the next call
 * leaves when the former has committed. Load makes batches and idleness makes none: there is no timer to wait for.
 *
 * There are two kinds of lanes, each a connection of its own with one call under way (lane.ts):
 *
 * - The main lane takes the items of all accounts, settlements (charges and releases) first: what they give back is there
 *   for admissions. It never waits for the lock of an account. What somebody else has locked comes back as contended and
 *   goes into the next call once more; two gateways of one busy account meet for moments only.
 * - An account that is still locked then moves, with all that waits for it and all that comes, to the contended accounts
 *   (contended-accounts.ts), where a few more lanes wait for locks, each for that of one account at a time. When nothing
 *   of it waits any more, it is the main lane's again.
 *
 * So the items of an account keep their order, and an account that is locked for long delays itself alone.
 *
 * The first item to arrive starts a call at the end of the current turn of the event loop, so that requests read in the
 * same turn share it. What arrives while a call is on its way waits in bounded queues.
 *
 * Each caller gets an answer by its deadline, in every lane and while connections are lost. A charge that nobody waits for
 * has more time as long as the database answers: when thousands of streams end at once, it is only slow. An admission that
 * was given up and turns out to have been placed is released; a settlement that was given up is what the database has of
 * it, and its caller, who was told that the outcome is not known, must not repeat it blindly.
 */
import { Coalescer } from '@farebox/flow';
import {
  LedgerUnavailableError,
  type Admission,
  type AdmissionResult,
  type Settlement,
  type SettlementResult,
} from '../hold';
import { ContendedAccounts } from './contended-accounts';
import { Deadlines } from './deadlines';
import { Flusher } from './flusher';
import { Lane, type BatchMeasure, type LaneOptions } from './lane';
import type { Backend, LedgerConnection } from './ledger-connection';
import { PlacedHolds } from './placed-holds';
import { BatchQueue, isUnattended, itemsOf, partOf, type Batch, type WaitingQueue } from './queue';
import { UnflushedAnswers } from './unflushed-answers';

/** What a connection is for. */
export type LaneKind = 'main' | 'contended' | 'flusher';

export interface BatcherOptions {
  /** Opens a connection; `predecessor` is the server process of the one that was lost. */
  connect(predecessor: Backend | undefined, lane: LaneKind): Promise<LedgerConnection>;
  maxBatch: number;
  maxQueuedAdmissions: number;
  /** Charges have room of their own: money that was earned goes before money that is asked for. */
  maxQueuedSettlements: number;
  admissionTimeoutMs: number;
  settlementTimeoutMs: number;
  /** The same of a charge that nobody waits for, as long as the database answers. */
  unattendedTimeoutMs: number;
  /** Told of each call that was answered. */
  onBatch?: ((batch: BatchMeasure) => void) | undefined;
  now?: () => number;
  random?: () => number;
}

/** Connections that wait for locks. They are opened when they are needed first. */
const CONTENDED_LANES = 4;
/** Consecutive calls of the main lane in which an account may be locked before it moves to a contended lane. */
const MAX_CONTENDED_CALLS = 2;
/** One account that is contended may have this part of the room of all. */
const PART_OF_ONE_ACCOUNT = 0.1;

export class Batcher {
  readonly #options: BatcherOptions;
  readonly #now: () => number;
  readonly #queue: BatchQueue;
  readonly #flusher: Flusher;
  readonly #holds: PlacedHolds;
  readonly #unflushed: UnflushedAnswers;
  readonly #main: Lane;
  readonly #contendedLanes: readonly Lane[];
  readonly #contended: ContendedAccounts;
  readonly #deadlines: Deadlines;
  readonly #calls = new Coalescer({
    isDue: () => !this.#queue.isEmpty,
    send: () => this.#send(),
    // Microtasks run between the reads of two sockets: only at the end of a turn has all been read that came together.
    begins: 'end_of_turn',
  });
  #closing = false;

  constructor(options: BatcherOptions) {
    const { maxBatch, maxQueuedAdmissions, maxQueuedSettlements, now = () => performance.now() } = options;
    this.#options = options;
    this.#now = now;
    this.#queue = new BatchQueue({
      maxSettlements: maxQueuedSettlements,
      maxAdmissions: maxQueuedAdmissions,
    });
    const random = options.random ?? Math.random;
    const isClosing = (): boolean => this.#closing;
    this.#flusher = new Flusher({
      connect: (predecessor) => options.connect(predecessor, 'flusher'),
      onLost: () => {
        void this.#holds.check();
      },
      isClosing,
      now,
      random,
    });
    this.#holds = new PlacedHolds({
      flusher: this.#flusher,
      timeoutMs: options.settlementTimeoutMs,
      isClosing,
    });
    const onAbandonedHold = (admission: Admission): void => {
      this.#release(admission);
    };
    this.#unflushed = new UnflushedAnswers({
      flusher: this.#flusher,
      onTakenAway: (batch) => {
        this.#sendAgain(batch);
      },
      onAbandonedHold,
      isClosing,
    });
    const laneOptions: Omit<LaneOptions, 'connect' | 'mayWait'> = {
      flusher: this.#flusher,
      holds: this.#holds,
      unflushed: this.#unflushed,
      onAbandonedHold,
      onBatch: options.onBatch,
      isClosing,
      now,
      random,
    };
    this.#main = new Lane({
      ...laneOptions,
      connect: (predecessor) => options.connect(predecessor, 'main'),
      mayWait: () => this.#flusher.isQuick,
    });
    this.#contendedLanes = Array.from(
      { length: CONTENDED_LANES },
      () =>
        new Lane({
          ...laneOptions,
          connect: (predecessor) => options.connect(predecessor, 'contended'),
          mayWait: () => false,
        }),
    );
    this.#contended = new ContendedAccounts({
      lanes: this.#contendedLanes,
      maxBatch,
      maxSettlements: Math.ceil(maxQueuedSettlements * PART_OF_ONE_ACCOUNT),
      maxAdmissions: Math.ceil(maxQueuedAdmissions * PART_OF_ONE_ACCOUNT),
    });
    this.#deadlines = new Deadlines({
      queue: this.#queue,
      contended: this.#contended,
      unflushed: this.#unflushed,
      main: this.#main,
      contendedLanes: this.#contendedLanes,
      flusher: this.#flusher,
      isIdle: () => this.#isIdle,
      now,
    });
  }

  /** Opens the first connections. Throws `ConnectionLostError`. */
  async connect(): Promise<void> {
    // First: what is sent before there is one is proved by nothing.
    await this.#flusher.connect();
    try {
      await this.#main.connect();
    } catch (error) {
      await this.#flusher.close();
      throw error;
    }
  }

  /** Whether the ledger can be asked now, as far as is known. */
  get isConnected(): boolean {
    return this.#main.isConnected && this.#flusher.isConnected;
  }

  /** The holds that were placed here, and are not known to be durable. */
  get holds(): PlacedHolds {
    return this.#holds;
  }

  /** Throws `LedgerUnavailableError` if there is no answer in time, if the queue is full and after `close`. */
  admit(item: Admission): Promise<AdmissionResult> {
    return this.#enqueue('admissions', item, this.#options.admissionTimeoutMs);
  }

  /**
   * Throws `LedgerUnavailableError` if the outcome is not known in time, if the queue is full and after `close`, and
   * `HoldLostError` if there was nothing to charge because a crash of the server took the hold away.
   */
  async settle(item: Settlement): Promise<SettlementResult> {
    try {
      const result = await this.#enqueue('settlements', item, this.#options.settlementTimeoutMs);
      if (result === 'not_held' && item.usage) await this.#holds.durable(item.holdId);
      return result;
    } finally {
      this.#holds.delete(item.holdId);
    }
  }

  /** From now on nobody waits: whoever has no answer is told so, as if their time were over. */
  stopWaiting(): void {
    this.#deadlines.stopWaiting();
  }

  /** Takes nothing more, waits for what is queued, and closes the connections. */
  async close(): Promise<void> {
    this.#closing = true;
    const lanes = [this.#main, ...this.#contendedLanes];
    while (!this.#isIdle) {
      await this.#calls.idle();
      await this.#contended.drain();
      await this.#unflushed.drain();
    }
    this.#deadlines.stop();
    await Promise.all([this.#flusher, ...lanes].map((connected) => connected.close()));
  }

  /** Whether nobody waits for anything. */
  get #isIdle(): boolean {
    return this.#calls.isIdle && this.#contended.isEmpty && this.#unflushed.isEmpty;
  }

  #enqueue(kind: 'admissions', item: Admission, timeoutMs: number): Promise<AdmissionResult>;
  #enqueue(kind: 'settlements', item: Settlement, timeoutMs: number): Promise<SettlementResult>;
  #enqueue<Result>(
    kind: 'admissions' | 'settlements',
    item: Admission & Settlement,
    timeoutMs: number,
  ): Promise<Result> {
    if (this.#closing) return Promise.reject(new LedgerUnavailableError('the ledger is closed'));
    const contended = this.#contended.queueOf(item.accountId);
    const queue = (contended ?? this.#queue)[kind] as WaitingQueue<Admission | Settlement, Result>;
    if (queue.isFull) return Promise.reject(new LedgerUnavailableError('too much waits for the ledger'));
    return new Promise<Result>((resolve, reject) => {
      const queuedAtMs = this.#now();
      const deadlineAtMs = queuedAtMs + timeoutMs;
      const lastDeadlineAtMs = isUnattended(item)
        ? queuedAtMs + this.#options.unattendedTimeoutMs
        : deadlineAtMs;
      queue.add({
        item,
        queuedAtMs,
        deadlineAtMs,
        lastDeadlineAtMs,
        abandoned: false,
        contendedCalls: 0,
        resolve,
        reject,
      });
      if (!contended) this.#start();
    });
  }

  #start(): void {
    this.#deadlines.start();
    this.#calls.start();
  }

  async #send(): Promise<void> {
    const { undone, contended } = await this.#main.send(this.#queue.takeBatch(this.#options.maxBatch));
    this.#queue.putBack(undone);
    this.#takeContended(contended);
  }

  /** Once more into the next call, in their order; those that have been there before wait for the lock from now on. */
  #takeContended(contended: Batch): void {
    const items = itemsOf(contended);
    if (items.length === 0) return;
    const accountIds = new Set<string>();
    for (const waiting of items) {
      waiting.contendedCalls++;
      if (waiting.contendedCalls >= MAX_CONTENDED_CALLS) accountIds.add(waiting.item.accountId);
    }
    this.#queue.putBack(contended);
    for (const accountId of accountIds) {
      this.#contended.add(accountId, this.#queue.takeAccount(accountId));
    }
  }

  /** What the server has lost again, in its order before all that came since. */
  #sendAgain(batch: Batch): void {
    const accountIds = new Set(itemsOf(batch).map(({ item }) => item.accountId));
    for (const accountId of accountIds) {
      const queue = this.#contended.queueOf(accountId) ?? this.#queue;
      queue.putBack(partOf(batch, ({ item }) => item.accountId === accountId));
    }
    if (!this.#queue.isEmpty) this.#start();
  }

  /** Nobody waits for this hold any more: its caller was told that there was no answer in time. */
  #release({ holdId, accountId }: Admission): void {
    const nobody = (): undefined => undefined;
    const queuedAtMs = this.#now();
    const queue = this.#contended.queueOf(accountId);
    (queue ?? this.#queue).settlements.add({
      item: { holdId, accountId },
      queuedAtMs,
      deadlineAtMs: Infinity,
      lastDeadlineAtMs: Infinity,
      abandoned: false,
      contendedCalls: 0,
      resolve: nobody,
      reject: nobody,
    });
    if (!queue) this.#start();
  }
}
