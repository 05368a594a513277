/**
 * The batcher: everything in this process that waits for the ledger goes to PostgreSQL as one call, and the next call
 * leaves when the former has committed. Load makes batches and idleness makes none: no timer is involved.
 *
 * There are two kinds of lanes, each a connection of its own with one running call (lane.ts):
 *
 * - The main lane takes the items of all accounts, settlements (charges and releases) first, so that admissions can
 *   use what they give back. It never waits for the lock of an account. Items of a locked account come back as
 *   contended and go into the next call again; two gateways of one busy account collide only for moments.
 * - An account that is still locked then moves, with all its waiting and new items, to the contended accounts
 *   (contended-accounts.ts), where a few more lanes wait for locks, each for that of one account at a time. When none
 *   of its items waits any more, it returns to the main lane.
 *
 * So the items of an account keep their order, and an account that is locked for long delays only itself.
 *
 * The first item to arrive starts a call at the end of the current turn of the event loop, so that requests read in
 * the same turn share it. Items that arrive during a call wait in bounded queues.
 *
 * Each caller gets an answer by its deadline, in every lane and while connections are lost. A charge in the
 * background has more time as long as the database answers: when thousands of streams end at once, it is only slow.
 * An admission that was given up and turns out to have been placed is released; a settlement that was given up stands
 * as the database has it, and its caller, who got an unknown outcome, must not repeat it blindly.
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

/** The purpose of a connection. */
export type LaneKind = 'main' | 'contended' | 'flusher';

export interface BatcherOptions {
  /** Opens a connection; `predecessor` is the server process of the lost one. */
  connect(predecessor: Backend | undefined, lane: LaneKind): Promise<LedgerConnection>;
  maxBatch: number;
  maxQueuedAdmissions: number;
  /** Charges have room of their own: earned money goes before requested holds. */
  maxQueuedSettlements: number;
  admissionTimeoutMs: number;
  settlementTimeoutMs: number;
  /** The same for a charge in the background, as long as the database answers. */
  unattendedTimeoutMs: number;
  /** Called after each answered call. */
  onBatch?: ((batch: BatchMeasure) => void) | undefined;
  now?: () => number;
  random?: () => number;
}

/** Connections that wait for locks. They are opened when they are first needed. */
const CONTENDED_LANES = 4;
/** Consecutive calls of the main lane in which an account may be locked before it moves to a contended lane. */
const MAX_CONTENDED_CALLS = 2;
/** Maximum share of a single contended account in the room of all. */
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
    // Microtasks run between the reads of two sockets: only at the end of a turn has everything been read that
    // arrived together.
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
    // First, because nothing proves that calls sent without a connection are durable.
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
   * `HoldLostError` if there was nothing to charge because a crash of the server lost the hold.
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

  /** From now on nobody waits: callers without an answer get an error, as if their time were over. */
  stopWaiting(): void {
    this.#deadlines.stopWaiting();
  }

  /** Takes nothing more, waits for the queue, and closes the connections. */
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

  /** Into the next call again, in order; repeated ones wait for the lock from now on. */
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

  /** Items that the server has lost again, in order, before all newer ones. */
  #sendAgain(batch: Batch): void {
    const accountIds = new Set(itemsOf(batch).map(({ item }) => item.accountId));
    for (const accountId of accountIds) {
      const queue = this.#contended.queueOf(accountId) ?? this.#queue;
      queue.putBack(partOf(batch, ({ item }) => item.accountId === accountId));
    }
    if (!this.#queue.isEmpty) this.#start();
  }

  /** Nobody waits for this hold any more: its caller got an error because there was no answer in time. */
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
