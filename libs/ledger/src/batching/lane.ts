import { setTimeout as sleep } from 'node:timers/promises';
import { isConflict } from '@farebox/database';
import type { AdmissionResult } from '../hold';
import type { BatchAnswer } from './batch-call';
import type { Era, Flusher } from './flusher';
import { ConnectionLostError, type Backend, type LedgerConnection } from './ledger-connection';
import type { PlacedHolds } from './placed-holds';
import {
  append,
  emptyBatch,
  isGivenUp,
  itemsOf,
  putBehind,
  withoutAbandoned,
  type Batch,
  type WaitingAdmission,
  type WaitingSettlement,
} from './queue';
import {
  answerAdmitted,
  answerByStates,
  type OnAbandonedHold,
  type Replayed,
  type UnflushedAnswers,
} from './unflushed-answers';

/** The unanswered part of a sent batch. */
export interface Left {
  /** Nothing was done, and it may be sent again. */
  undone: Batch;
  /** Nothing was done: another session had locked the account. */
  contended: Batch;
}

/** The times of one call. */
export interface BatchMeasure {
  settlements: number;
  admissions: number;
  /** Items of both kinds whose accounts another session had locked. */
  contended: number;
  /** The longest wait when the call left. */
  longestWaitMs: number;
  /** From sending the call to its answer. */
  durationMs: number;
}

export interface LaneOptions {
  /** Opens a connection; `predecessor` is the server process of the lost one. */
  connect(predecessor: Backend | undefined): Promise<LedgerConnection>;
  flusher: Flusher;
  holds: PlacedHolds;
  /** Answers callers that need a durable result. */
  unflushed: UnflushedAnswers;
  /** Whether a call with settlements may wait for the disk on this connection, because that is short. */
  mayWait(): boolean;
  onAbandonedHold: OnAbandonedHold;
  /** Called with the error for which the database refused a call. */
  onRefused: ((error: unknown) => void) | undefined;
  /** Called after each answered call. Its errors are ignored. */
  onBatch: ((batch: BatchMeasure) => void) | undefined;
  /** Whether to give a lost connection up, if nobody waits for the batch, instead of reopening it. */
  isClosing(): boolean;
  now: () => number;
  random: () => number;
}

const MAX_CONFLICT_RETRIES = 3;
const FIRST_RECONNECT_PAUSE_MS = 50;
const LONGEST_RECONNECT_PAUSE_MS = 2_000;

/**
 * One connection to the ledger, with at most one running call.
 *
 * A hold is answered as soon as it is in force; code that delivers something waits until it is durable. A settlement,
 * and the answer that a request was charged before, is given when it is durable. A call with settlements is durable
 * by its own commit, one round trip earlier, as long as the disk is quick; for every other call the flusher reports
 * it.
 *
 * If the connection is lost before the answer, the call may have committed or not. A new connection is opened, with
 * growing pauses between attempts. The server process of the old one is ended, and then the database is asked for the
 * state of each item.
 *
 * A call that fails because of one of its items (a poisoned one) is sent again in halves, until that item is alone.
 */
export class Lane {
  readonly #options: LaneOptions;
  #connection: LedgerConnection | undefined;
  #lastBackend: Backend | undefined;
  #underWay: Batch | undefined;
  #failure: unknown;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Opens the first connection. Throws `ConnectionLostError`. */
  async connect(): Promise<void> {
    await this.#reconnect();
  }

  /** Why the last call, or the last look-up of an uncertain one, failed; undefined once one succeeds. */
  get failure(): unknown {
    return this.#failure;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** The items being sent. */
  get underWay(): (WaitingSettlement | WaitingAdmission)[] {
    return this.#underWay ? itemsOf(this.#underWay) : [];
  }

  /**
   * Sends a batch and answers its items. Resolves, when the last part of it is done, to the unanswered ones, without
   * those that were given up meanwhile. Does not reject.
   */
  async send(batch: Batch, awaitedAccountId?: string): Promise<Left> {
    this.#underWay = batch;
    const left: Left = { undone: emptyBatch(), contended: emptyBatch() };
    await this.#send(batch, awaitedAccountId, 0, left);
    this.#underWay = undefined;
    return { undone: withoutAbandoned(left.undone), contended: withoutAbandoned(left.contended) };
  }

  async close(): Promise<void> {
    await this.#connection?.close();
    this.#connection = undefined;
  }

  async #send(batch: Batch, awaited: string | undefined, conflicts: number, left: Left): Promise<void> {
    const connection = this.#connection;
    if (!connection) {
      // Nothing of it was sent, so there is nothing to find out: an account may have been swept meanwhile.
      append(left.undone, await this.#reconnectFor(batch, () => Promise.resolve(batch)));
      return;
    }
    const leftAtMs = this.#options.now();
    const era = this.#options.flusher.eraOn(connection.backend.server);
    let answer: BatchAnswer;
    try {
      const call = {
        awaitedAccountId: awaited,
        settlements: batch.settlements.map((waiting) => waiting.item),
        admissions: batch.admissions.map((waiting) => waiting.item),
        durably: batch.settlements.length > 0 && this.#options.mayWait(),
      };
      answer = await connection.call(call);
      if (answer.isDurable) this.#options.flusher.noteWait(this.#options.now() - leftAtMs);
    } catch (error) {
      await this.#takeFailure(batch, awaited, conflicts, left, error);
      return;
    }
    this.#failure = undefined;
    const contended = this.#answer(batch, answer, era);
    append(left.contended, contended);
    this.#measure(batch, contended, leftAtMs);
  }

  async #takeFailure(
    batch: Batch,
    awaited: string | undefined,
    conflicts: number,
    left: Left,
    error: unknown,
  ): Promise<void> {
    if (error instanceof ConnectionLostError) {
      this.#failure = error;
      append(left.undone, await this.#recover(batch));
    } else if (isLockTimeout(error) && (awaited !== undefined || itemsOf(batch).length === 1))
      append(left.contended, batch);
    else if (isPassing(error) && conflicts < MAX_CONFLICT_RETRIES) {
      await sleep(this.#options.random() * 10 * 2 ** conflicts);
      await this.#send(batch, awaited, conflicts + 1, left);
    } else await this.#sendInHalves(batch, awaited, left, error);
  }

  /** The transaction was rolled back, so nothing of the batch happened. */
  async #sendInHalves(whole: Batch, awaited: string | undefined, left: Left, error: unknown): Promise<void> {
    this.#options.onRefused?.(error);
    const batch = withoutAbandoned(whole);
    const items = itemsOf(batch);
    const [only] = items;
    if (!only) return;
    if (items.length === 1) {
      only.reject(error instanceof Error ? error : new Error('the ledger refused an item', { cause: error }));
      return;
    }
    const { settlements, admissions } = batch;
    const middle = Math.ceil(items.length / 2);
    const ofAdmissions = Math.max(0, middle - settlements.length);
    const halves: [Batch, Batch] = [
      { settlements: settlements.slice(0, middle), admissions: admissions.slice(0, ofAdmissions) },
      { settlements: settlements.slice(middle), admissions: admissions.slice(ofAdmissions) },
    ];
    for (const half of halves) {
      const next = putBehind(left.undone, putBehind(left.contended, half));
      if (itemsOf(next).length > 0) await this.#send(next, awaited, MAX_CONFLICT_RETRIES, left);
    }
  }

  /** Returns the contended items. */
  #answer(batch: Batch, answer: BatchAnswer, era: Era): Batch {
    const contended = emptyBatch();
    const settled: WaitingSettlement[] = [];
    const replayed: Replayed[] = [];
    batch.settlements.forEach((waiting, i) => {
      const result = answer.settlements[i] ?? 'not_held';
      if (result === 'contended') contended.settlements.push(waiting);
      else if (result === 'resolved' && !answer.isDurable) settled.push(waiting);
      else waiting.resolve(result);
    });
    batch.admissions.forEach((waiting, i) => {
      const result = answer.admissions[i];
      if (result === 'contended') contended.admissions.push(waiting);
      else if (result?.outcome === 'replay' && !answer.isDurable) replayed.push({ waiting, result });
      else if (result?.outcome === 'admitted')
        this.#answerPlaced(waiting, result, answer.isDurable ? undefined : era);
      else if (result) waiting.resolve(result);
      else waiting.reject(new Error('the ledger left an admission without an answer'));
    });
    this.#options.unflushed.add(settled, replayed, era);
    return contended;
  }

  /** `era` is undefined if it is already durable. */
  #answerPlaced(waiting: WaitingAdmission, result: AdmissionResult, era: Era | undefined): void {
    if (!waiting.abandoned && era !== undefined) this.#options.holds.add(waiting.item.holdId, era);
    answerAdmitted(waiting, this.#options.onAbandonedHold, result);
  }

  #measure(batch: Batch, contended: Batch, leftAtMs: number): void {
    const { onBatch, now } = this.#options;
    if (!onBatch) return;
    const queuedAtMs = itemsOf(batch).reduce(
      (first, waiting) => Math.min(first, waiting.queuedAtMs),
      leftAtMs,
    );
    try {
      onBatch({
        settlements: batch.settlements.length,
        admissions: batch.admissions.length,
        contended: itemsOf(contended).length,
        longestWaitMs: leftAtMs - queuedAtMs,
        durationMs: now() - leftAtMs,
      });
    } catch {
      // The batch is answered: a failed measurement must not send it again.
    }
  }

  /** Answers the items that the database has done; resolves to the others. */
  #recover(batch: Batch): Promise<Batch> {
    return this.#reconnectFor(batch, async (connection) => {
      const holdIds = itemsOf(batch).map(({ item }) => item.holdId);
      const states = await connection.holdStates(holdIds);
      // Rows that exist now may still be lost in the next crash, or have been lost by a standby that takes over.
      await connection.flush();
      return answerByStates(batch, states, this.#options.onAbandonedHold);
    });
  }

  /** Resolves to the items of a batch that `toLeft` leaves, once there is a connection. */
  async #reconnectFor(
    batch: Batch,
    toLeft: (connection: LedgerConnection) => Promise<Batch>,
  ): Promise<Batch> {
    for (let attempt = 0; ; attempt++) {
      try {
        const left = await toLeft(await this.#reconnect());
        this.#failure = undefined;
        return left;
      } catch (error) {
        this.#failure = error;
        this.#connection = undefined;
        if (this.#options.isClosing() && itemsOf(batch).every(isGivenUp)) return emptyBatch();
        const pauseMs = Math.min(LONGEST_RECONNECT_PAUSE_MS, FIRST_RECONNECT_PAUSE_MS * 2 ** attempt);
        await sleep(pauseMs * (0.5 + this.#options.random() / 2));
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
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** The server cancelled the call because it took too long. */
const isCancelled = (error: unknown): boolean => codeOf(error) === '57014';

/** Rolled back because of concurrent work, and worth another try. */
const isPassing = (error: unknown): boolean =>
  isConflict(error) || isLockTimeout(error) || isCancelled(error);
