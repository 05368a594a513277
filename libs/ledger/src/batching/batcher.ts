/**
 * The batcher: everything in this process that waits for the ledger goes to PostgreSQL as one call, or as two when
 * there is much of it, and the next call leaves when the former has committed. Load makes batches and idleness makes
 * none: no timer is involved.
 *
 * There are two kinds of lanes, each a connection of its own with one running call (lane.ts):
 *
 * - The two main lanes (main-lanes.ts) take the items of all accounts, settlements (charges and releases) first, so
 *   that admissions can use what they give back. They never wait for the lock of an account. Items of a locked
 *   account come back as contended and go into the next call again; two gateways of one busy account collide only for
 *   moments.
 * - An account that is still locked then moves, with all its waiting and new items, to the contended accounts
 *   (contended-accounts.ts), where a few more lanes wait for locks, each for that of one account at a time. When none
 *   of its items waits any more, it returns to the main lanes.
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
import { MainLanes } from './main-lanes';
import { PlacedHolds } from './placed-holds';
import { isUnattended, itemsOf, partOf, type Batch, type BatchQueue, type WaitingQueue } from './queue';
import { UnflushedAnswers } from './unflushed-answers';

/** The purpose of a connection. */
export type LaneKind = 'main' | 'contended' | 'flusher';

export interface BatcherOptions {
  /** Opens a connection; `predecessor` is the server process of the lost one. */
  connect(predecessor: Backend | undefined, lane: LaneKind): Promise<LedgerConnection>;
  maxBatch: number;
  /** Items that each half of the accounts must have waiting for the main lanes to share them. */
  minHalf: number;
  maxQueuedAdmissions: number;
  /** Charges have room of their own: earned money goes before requested holds. */
  maxQueuedSettlements: number;
  admissionTimeoutMs: number;
  settlementTimeoutMs: number;
  /** The same for a charge in the background, as long as the database answers. */
  unattendedTimeoutMs: number;
  /** Called with the error for which the database refused a call. */
  onRefused?: ((error: unknown) => void) | undefined;
  /** Called after each answered call. */
  onBatch?: ((batch: BatchMeasure) => void) | undefined;
  now?: () => number;
  random?: () => number;
}

/** Connections that wait for locks. They are opened when they are first needed. */
const CONTENDED_LANES = 4;
/** Maximum share of a single contended account in the room of all. */
const PART_OF_ONE_ACCOUNT = 0.1;

export class Batcher {
  readonly #options: BatcherOptions;
  readonly #now: () => number;
  readonly #flusher: Flusher;
  readonly #holds: PlacedHolds;
  readonly #unflushed: UnflushedAnswers;
  readonly #mainLanes: readonly [Lane, Lane];
  readonly #main: MainLanes;
  readonly #contendedLanes: readonly Lane[];
  readonly #contended: ContendedAccounts;
  readonly #deadlines: Deadlines;
  #closing = false;

  constructor(options: BatcherOptions) {
    const { maxBatch, maxQueuedAdmissions, maxQueuedSettlements, now = () => performance.now() } = options;
    this.#options = options;
    this.#now = now;
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
      onRefused: options.onRefused,
      onBatch: options.onBatch,
      isClosing,
      now,
      random,
    };
    const toMainLane = (): Lane =>
      new Lane({
        ...laneOptions,
        connect: (predecessor) => options.connect(predecessor, 'main'),
        mayWait: () => this.#flusher.isQuick,
      });
    this.#mainLanes = [toMainLane(), toMainLane()];
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
    this.#main = new MainLanes({
      lanes: this.#mainLanes,
      maxBatch,
      minHalf: options.minHalf,
      maxSettlements: maxQueuedSettlements,
      maxAdmissions: maxQueuedAdmissions,
      contended: this.#contended,
    });
    this.#deadlines = new Deadlines({
      main: this.#main,
      mainLanes: this.#mainLanes,
      contended: this.#contended,
      unflushed: this.#unflushed,
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
      // Both, so that a server without room for them is noticed now and not under load.
      for (const lane of this.#mainLanes) await lane.connect();
    } catch (error) {
      await Promise.all([this.#flusher, ...this.#mainLanes].map((connected) => connected.close()));
      throw error;
    }
  }

  /** Whether the ledger can be asked now, as far as is known. */
  get isConnected(): boolean {
    return this.#mainLanes.every((lane) => lane.isConnected) && this.#flusher.isConnected;
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
    const lanes = [...this.#mainLanes, ...this.#contendedLanes];
    while (!this.#isIdle) {
      await this.#main.idle();
      await this.#contended.drain();
      await this.#unflushed.drain();
    }
    this.#deadlines.stop();
    await Promise.all([this.#flusher, ...lanes].map((connected) => connected.close()));
  }

  /** Whether nobody waits for anything. */
  get #isIdle(): boolean {
    return this.#main.isIdle && this.#contended.isEmpty && this.#unflushed.isEmpty;
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
    const isFull = contended ? contended[kind].isFull : this.#main.isFull(kind);
    if (isFull) return Promise.reject(new LedgerUnavailableError('too much waits for the ledger'));
    const queue = this.#queueOf(item.accountId)[kind] as WaitingQueue<Admission | Settlement, Result>;
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
      this.#start();
    });
  }

  #start(): void {
    this.#deadlines.start();
    this.#main.start();
  }

  #queueOf(accountId: string): BatchQueue {
    return this.#contended.queueOf(accountId) ?? this.#main.queueOf(accountId);
  }

  /** Items that the server has lost again, in order, before all newer ones. */
  #sendAgain(batch: Batch): void {
    const accountIds = new Set(itemsOf(batch).map(({ item }) => item.accountId));
    for (const accountId of accountIds) {
      this.#queueOf(accountId).putBack(partOf(batch, ({ item }) => item.accountId === accountId));
    }
    this.#start();
  }

  /** Nobody waits for this hold any more: its caller got an error because there was no answer in time. */
  #release({ holdId, accountId }: Admission): void {
    const nobody = (): undefined => undefined;
    const queuedAtMs = this.#now();
    this.#queueOf(accountId).settlements.add({
      item: { holdId, accountId },
      queuedAtMs,
      deadlineAtMs: Infinity,
      lastDeadlineAtMs: Infinity,
      abandoned: false,
      contendedCalls: 0,
      resolve: nobody,
      reject: nobody,
    });
    this.#start();
  }
}
