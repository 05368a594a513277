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
 * Each caller gets an answer by its deadline, in every lane and while connections are lost. An admission that was given
 * up and turns out to have been placed is released; a settlement that was given up is what the database has of it, and its
 * caller, who was told that the outcome is not known, must not repeat it blindly.
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import {
  LedgerUnavailableError,
  type Admission,
  type AdmissionResult,
  type Settlement,
  type SettlementResult,
} from '../hold';
import { ContendedAccounts } from './contended-accounts';
import { Lane, type BatchMeasure, type LaneOptions } from './lane';
import { ConnectionLostError, type Backend, type LedgerConnection } from './ledger-connection';
import { BatchQueue, itemsOf, type Batch, type WaitingQueue } from './queue';

export interface BatcherOptions {
  /** Opens a connection for a lane; `predecessor` is the server process of the one that was lost. */
  connect(predecessor: Backend | undefined, lane: 'main' | 'contended'): Promise<LedgerConnection>;
  maxBatch: number;
  maxQueuedAdmissions: number;
  /** Charges have room of their own: money that was earned goes before money that is asked for. */
  maxQueuedSettlements: number;
  admissionTimeoutMs: number;
  settlementTimeoutMs: number;
  /** Told of each call that was answered. */
  onBatch?: ((batch: BatchMeasure) => void) | undefined;
  now?: () => number;
  random?: () => number;
}

const EXPIRY_CHECK_MS = 50;
/** Connections that wait for locks. They are opened when they are needed first. */
const CONTENDED_LANES = 4;
/** In so many calls of the main lane in a row an account may be found locked. */
const MAX_CONTENDED_CALLS = 2;
/** One account that is contended may have this part of the room of all. */
const PART_OF_ONE_ACCOUNT = 0.1;

export class Batcher {
  readonly #options: BatcherOptions;
  readonly #now: () => number;
  readonly #queue: BatchQueue;
  readonly #main: Lane;
  readonly #contendedLanes: readonly Lane[];
  readonly #contended: ContendedAccounts;
  #running: Promise<void> | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(options: BatcherOptions) {
    const { maxBatch, maxQueuedAdmissions, maxQueuedSettlements, now = () => performance.now() } = options;
    this.#options = options;
    this.#now = now;
    this.#queue = new BatchQueue({
      maxSettlements: maxQueuedSettlements,
      maxAdmissions: maxQueuedAdmissions,
    });
    const laneOptions: Omit<LaneOptions, 'connect'> = {
      onAbandonedHold: (admission) => {
        this.#release(admission);
      },
      onBatch: options.onBatch,
      isClosing: () => this.#closing,
      now,
      random: options.random ?? Math.random,
    };
    this.#main = new Lane({ ...laneOptions, connect: (predecessor) => options.connect(predecessor, 'main') });
    this.#contendedLanes = Array.from(
      { length: CONTENDED_LANES },
      () => new Lane({ ...laneOptions, connect: (predecessor) => options.connect(predecessor, 'contended') }),
    );
    this.#contended = new ContendedAccounts({
      lanes: this.#contendedLanes,
      maxBatch,
      maxSettlements: Math.ceil(maxQueuedSettlements * PART_OF_ONE_ACCOUNT),
      maxAdmissions: Math.ceil(maxQueuedAdmissions * PART_OF_ONE_ACCOUNT),
    });
  }

  /** Opens the first connection. Throws `ConnectionLostError`. */
  async connect(): Promise<void> {
    await this.#main.connect();
  }

  /** Whether the ledger can be asked now, as far as is known. */
  get isConnected(): boolean {
    return this.#main.isConnected;
  }

  /** Throws `LedgerUnavailableError` if there is no answer in time, if the queue is full and after `close`. */
  admit(item: Admission): Promise<AdmissionResult> {
    return this.#enqueue('admissions', item, this.#options.admissionTimeoutMs);
  }

  /** Throws `LedgerUnavailableError` if the outcome is not known in time, if the queue is full and after `close`. */
  settle(item: Settlement): Promise<SettlementResult> {
    return this.#enqueue('settlements', item, this.#options.settlementTimeoutMs);
  }

  /** Takes nothing more, waits for what is queued, and closes the connections. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#running || !this.#contended.isEmpty) {
      await this.#running;
      await this.#contended.drain();
    }
    clearInterval(this.#expiry);
    await Promise.all([this.#main, ...this.#contendedLanes].map((lane) => lane.close()));
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
      queue.add({ item, queuedAtMs, deadlineAtMs, abandoned: false, contendedCalls: 0, resolve, reject });
      if (!contended) this.#start();
    });
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // What came after the last look at the queue.
      if (!this.#queue.isEmpty) this.#start();
    });
  }

  async #run(): Promise<void> {
    this.#expiry ??= setInterval(() => {
      this.#expire();
    }, EXPIRY_CHECK_MS);
    // Microtasks run between the reads of two sockets: only here has all been read that came together.
    await endOfTurn();
    while (!this.#queue.isEmpty) {
      const { undone, contended } = await this.#main.send(this.#queue.takeBatch(this.#options.maxBatch));
      this.#queue.putBack(undone);
      this.#takeContended(contended);
    }
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

  /** Nobody waits for this hold any more: its caller was told that there was no answer in time. */
  #release({ holdId, accountId }: Admission): void {
    const nobody = (): undefined => undefined;
    const queuedAtMs = this.#now();
    const queue = this.#contended.queueOf(accountId);
    (queue ?? this.#queue).settlements.add({
      item: { holdId, accountId },
      queuedAtMs,
      deadlineAtMs: Infinity,
      abandoned: false,
      contendedCalls: 0,
      resolve: nobody,
      reject: nobody,
    });
    if (!queue) this.#start();
  }

  #expire(): void {
    if (!this.#running && this.#contended.isEmpty) {
      clearInterval(this.#expiry);
      this.#expiry = undefined;
      return;
    }
    const nowMs = this.#now();
    const failureOfContended = this.#contendedLanes.find(({ failure }) => failure !== undefined)?.failure;
    for (const waiting of this.#queue.takeExpired(nowMs)) waiting.reject(toLateError(this.#main.failure));
    for (const waiting of this.#contended.takeExpired(nowMs)) waiting.reject(toLateError(failureOfContended));
    for (const { underWay, failure } of [this.#main, ...this.#contendedLanes]) {
      for (const waiting of underWay) {
        if (waiting.abandoned || waiting.deadlineAtMs > nowMs) continue;
        waiting.abandoned = true;
        waiting.reject(toLateError(failure));
      }
    }
  }
}

/**
 * What those are told who have no answer in time. A database that cannot be reached is worth another try. What nobody
 * expected of it is an error of its own, which must not be taken for that.
 */
function toLateError(failure: unknown): Error {
  const isExpected = failure === undefined || failure instanceof ConnectionLostError;
  if (!isExpected && failure instanceof Error) return failure;
  return new LedgerUnavailableError('the ledger did not answer in time', { cause: failure });
}
