/**
 * The batcher: everything in this process that waits for the ledger goes to PostgreSQL as one call, and the next call
 * leaves when the former has committed. Load makes batches and idleness makes none: there is no timer to wait for.
 *
 * It is in one of four modes:
 *
 * - idle: nothing waits. The first item to arrive starts a call at the end of the current turn of the event loop, so
 *   that requests read in the same turn share it.
 * - sending: one call is on its way. What arrives meanwhile waits in two bounded queues, settlements (charges and
 *   releases) and admissions. The next call takes settlements first: what they give back is there for admissions.
 * - recovering: the connection was lost, and with it the answer to the call that was on its way; it may have committed
 *   or not. A new connection is opened, over and over with a growing pause, the server process of the old one is
 *   ended, and then the database says of each item what became of it. Done items are answered, the others go back to
 *   the head of their queue.
 * - closed: nothing is taken any more. Closing waits for what is queued.
 *
 * Each caller gets an answer by its deadline, in every mode. An admission that was given up and turns out to have
 * been placed is released; a settlement that was given up stands as the database has it, and its caller, who was told
 * that the outcome is not known, must not repeat it blindly.
 *
 * An item that makes its call fail (a poisoned one) does so alone: a failed batch is sent again item by item.
 */
import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Admission, AdmissionResult } from '../admission';
import { LedgerUnavailableError } from '../ledger-error';
import type { Settlement, SettlementResult } from '../settlement';
import type { BatchAnswer } from './batch-call';
import { ConnectionLostError, type Backend, type LedgerConnection } from './ledger-connection';
import { WaitingQueue, type Waiting } from './queue';

export interface BatcherOptions {
  /** Opens a connection; `predecessor` is the server process of the one that was lost. */
  connect(predecessor: Backend | undefined): Promise<LedgerConnection>;
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

/** What one call took. */
export interface BatchMeasure {
  settlements: number;
  admissions: number;
  /** How long the one that waited longest had waited when the call left. */
  longestWaitMs: number;
  /** From the call's leaving to its answer. */
  durationMs: number;
}

type WaitingAdmission = Waiting<Admission, AdmissionResult>;
type WaitingSettlement = Waiting<Settlement, SettlementResult>;

interface Batch {
  settlements: WaitingSettlement[];
  admissions: WaitingAdmission[];
}

type Mode = 'idle' | 'sending' | 'recovering' | 'closed';

/** Kept answers that go out in one call. One that is larger goes alone. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const EXPIRY_CHECK_MS = 50;
const MAX_CONFLICT_RETRIES = 3;
const FIRST_RECONNECT_PAUSE_MS = 50;
const LONGEST_RECONNECT_PAUSE_MS = 2_000;

export class Batcher {
  readonly #options: BatcherOptions;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #admissions: WaitingQueue<Admission, AdmissionResult>;
  readonly #settlements: WaitingQueue<Settlement, SettlementResult>;
  #mode: Mode = 'idle';
  #connection: LedgerConnection | undefined;
  #lastBackend: Backend | undefined;
  #underWay: Batch = { settlements: [], admissions: [] };
  #running: Promise<void> = Promise.resolve();
  #closing = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#admissions = new WaitingQueue(options.maxQueuedAdmissions);
    this.#settlements = new WaitingQueue(options.maxQueuedSettlements);
  }

  /** Opens the first connection. Throws `ConnectionLostError`. */
  async connect(): Promise<void> {
    await this.#reconnect();
  }

  /** Whether the ledger can be asked now, as far as is known. */
  get isConnected(): boolean {
    return this.#connection !== undefined && this.#mode !== 'recovering';
  }

  /** Throws `LedgerUnavailableError` where there is no answer in time, where the queue is full and after `close`. */
  admit(item: Admission): Promise<AdmissionResult> {
    return this.#enqueue(this.#admissions, item, this.#options.admissionTimeoutMs);
  }

  /** Throws `LedgerUnavailableError` where the outcome is not known in time, where the queue is full and after `close`. */
  settle(item: Settlement): Promise<SettlementResult> {
    return this.#enqueue(this.#settlements, item, this.#options.settlementTimeoutMs);
  }

  /** Takes nothing more, waits for what is queued, and closes the connection. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#running;
    this.#mode = 'closed';
    await this.#connection?.close();
  }

  #enqueue<Item, Result>(queue: WaitingQueue<Item, Result>, item: Item, timeoutMs: number): Promise<Result> {
    if (this.#closing) return Promise.reject(new LedgerUnavailableError('the ledger is closed'));
    if (queue.isFull) return Promise.reject(new LedgerUnavailableError('too much waits for the ledger'));
    return new Promise<Result>((resolve, reject) => {
      const queuedAtMs = this.#now();
      queue.add({
        item,
        queuedAtMs,
        deadlineAtMs: queuedAtMs + timeoutMs,
        abandoned: false,
        resolve,
        reject,
      });
      this.#start();
    });
  }

  #start(): void {
    if (this.#mode !== 'idle') return;
    this.#mode = 'sending';
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const expiry = setInterval(() => {
      this.#expire();
    }, EXPIRY_CHECK_MS);
    // Microtasks run between the reads of two sockets: only here has all been read that came together.
    await endOfTurn();
    while (this.#settlements.length > 0 || this.#admissions.length > 0) {
      this.#underWay = this.#takeBatch();
      await this.#send(this.#underWay, 0);
      this.#underWay = { settlements: [], admissions: [] };
    }
    clearInterval(expiry);
    this.#mode = 'idle';
  }

  #takeBatch(): Batch {
    const { maxBatch } = this.#options;
    const settlements = this.#settlements.takeTogether({
      max: maxBatch,
      keyOf: (settlement) => settlement.holdId,
      maxBytes: MAX_ANSWER_BYTES,
      bytesOf: (settlement) => settlement.usage?.answer?.byteLength ?? 0,
    });
    const admissions = this.#admissions.take(maxBatch);
    // Array.prototype.sort is stable: the order of arrival is kept within an account.
    admissions.sort((a, b) =>
      a.item.accountId < b.item.accountId ? -1 : a.item.accountId > b.item.accountId ? 1 : 0,
    );
    return { settlements, admissions };
  }

  async #send(batch: Batch, conflicts: number): Promise<void> {
    try {
      if (!this.#connection) throw new ConnectionLostError(new Error('not connected'));
      const call = {
        settlements: batch.settlements.map((waiting) => waiting.item),
        admissions: batch.admissions.map((waiting) => waiting.item),
      };
      const leftAtMs = this.#now();
      const answer = await this.#connection.call(call);
      this.#measure(batch, leftAtMs);
      this.#answer(batch, answer);
    } catch (error) {
      if (error instanceof ConnectionLostError) await this.#recover(batch);
      else if (isConflict(error) && conflicts < MAX_CONFLICT_RETRIES) {
        await sleep(this.#random() * 10 * 2 ** conflicts);
        await this.#send(batch, conflicts + 1);
      } else await this.#sendOneByOne(batch, error);
    }
  }

  #measure({ settlements, admissions }: Batch, leftAtMs: number): void {
    if (!this.#options.onBatch) return;
    let queuedAtMs = leftAtMs;
    for (const waiting of settlements) queuedAtMs = Math.min(queuedAtMs, waiting.queuedAtMs);
    for (const waiting of admissions) queuedAtMs = Math.min(queuedAtMs, waiting.queuedAtMs);
    this.#options.onBatch({
      settlements: settlements.length,
      admissions: admissions.length,
      longestWaitMs: leftAtMs - queuedAtMs,
      durationMs: this.#now() - leftAtMs,
    });
  }

  /** The transaction was rolled back: nothing of the batch happened. */
  async #sendOneByOne(batch: Batch, error: unknown): Promise<void> {
    const [only, ...others] = [...batch.settlements, ...batch.admissions];
    if (only && others.length === 0) {
      only.reject(error instanceof Error ? error : new Error('the ledger refused an item', { cause: error }));
      return;
    }
    for (const waiting of batch.settlements) await this.#send({ settlements: [waiting], admissions: [] }, 0);
    for (const waiting of batch.admissions) await this.#send({ settlements: [], admissions: [waiting] }, 0);
  }

  #answer(batch: Batch, answer: BatchAnswer): void {
    batch.settlements.forEach((waiting, i) => {
      waiting.resolve(answer.settlements[i] ?? 'not_held');
    });
    batch.admissions.forEach((waiting, i) => {
      const result = answer.admissions[i];
      if (!result) throw new Error('the ledger left an admission without an answer');
      this.#answerAdmission(waiting, result);
    });
  }

  #answerAdmission(waiting: WaitingAdmission, result: AdmissionResult): void {
    if (waiting.abandoned && result.outcome === 'admitted') this.#releaseAbandoned(waiting.item);
    else waiting.resolve(result);
  }

  /** Nobody waits for this hold any more: its caller was told that there was no answer in time. */
  #releaseAbandoned({ holdId, accountId }: Admission): void {
    const nobody = (): undefined => undefined;
    this.#settlements.putBack([
      {
        item: { holdId, accountId },
        queuedAtMs: this.#now(),
        deadlineAtMs: Infinity,
        abandoned: true,
        resolve: nobody,
        reject: nobody,
      },
    ]);
  }

  async #recover(batch: Batch): Promise<void> {
    this.#mode = 'recovering';
    for (let attempt = 0; ; attempt++) {
      try {
        const connection = await this.#reconnect();
        const waiting = [...batch.settlements, ...batch.admissions];
        const states = await connection.holdStates(waiting.map(({ item }) => item.holdId));
        this.#mode = 'sending';
        this.#resolveDoubt(batch, states);
        return;
      } catch {
        if (this.#closing && this.#nobodyWaits(batch)) return;
        const pauseMs = Math.min(LONGEST_RECONNECT_PAUSE_MS, FIRST_RECONNECT_PAUSE_MS * 2 ** attempt);
        await sleep(pauseMs * (0.5 + this.#random() / 2));
      }
    }
  }

  async #reconnect(): Promise<LedgerConnection> {
    this.#connection = undefined;
    const connection = await this.#options.connect(this.#lastBackend);
    this.#connection = connection;
    this.#lastBackend = connection.backend;
    return connection;
  }

  #resolveDoubt(batch: Batch, states: readonly string[]): void {
    const settlementsAgain = batch.settlements.filter((waiting, i) => {
      const state = states[i];
      if (state === 'held') return !waiting.abandoned;
      const wanted = waiting.item.usage ? 'charged' : 'none';
      waiting.resolve(state === wanted ? 'resolved' : 'not_held');
      return false;
    });
    const admissionsAgain = batch.admissions.filter((waiting, i) => {
      if (states[batch.settlements.length + i] === 'none') return !waiting.abandoned;
      this.#answerAdmission(waiting, { outcome: 'admitted' });
      return false;
    });
    this.#settlements.putBack(settlementsAgain);
    this.#admissions.putBack(admissionsAgain);
  }

  #nobodyWaits(batch: Batch): boolean {
    const all = [...batch.settlements, ...batch.admissions];
    return (
      all.every((waiting) => waiting.abandoned) && this.#settlements.length + this.#admissions.length === 0
    );
  }

  #expire(): void {
    const nowMs = this.#now();
    const late = new LedgerUnavailableError('the ledger did not answer in time');
    for (const queue of [this.#settlements, this.#admissions]) {
      for (const waiting of queue.takeExpired(nowMs)) waiting.reject(late);
    }
    for (const waiting of [...this.#underWay.settlements, ...this.#underWay.admissions]) {
      if (waiting.abandoned || waiting.deadlineAtMs > nowMs) continue;
      waiting.abandoned = true;
      waiting.reject(late);
    }
  }
}

/** Deadlock or serialization failure: rolled back, and worth another try. */
function isConflict(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === '40P01' || code === '40001';
}
