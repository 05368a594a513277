import { Coalescer } from '@farebox/flow';
import type { ContendedAccounts } from './contended-accounts';
import type { Lane } from './lane';
import {
  append,
  BatchQueue,
  emptyBatch,
  itemsOf,
  partOf,
  sortByAccount,
  type Batch,
  type BatchQueueOptions,
  type IsOver,
  type WaitingAdmission,
  type WaitingSettlement,
} from './queue';

export interface MainLanesOptions extends BatchQueueOptions {
  /** One for each half of the accounts. */
  lanes: readonly [Lane, Lane];
  /** Maximum items of a kind in the call of a half. */
  maxBatch: number;
  /** Items that a half must have waiting for a call of its own. */
  minHalf: number;
  /** Takes the accounts that stay locked. */
  contended: ContendedAccounts;
}

/** Consecutive calls in which an account may be locked before it moves to a contended lane. */
const MAX_CONTENDED_CALLS = 2;

/** The accounts whose ids are even, or odd. */
interface Half {
  lane: Lane;
  queue: BatchQueue;
  /** Whether some of its items are in a running call. */
  isRunning: boolean;
}

/**
 * The items of all accounts that are not contended, and the two lanes that send them.
 *
 * PostgreSQL runs a call on one core, so much work is divided: each half of the accounts has a lane of its own. Two
 * small calls cost PostgreSQL more than one of their size, so a half with few items has no call of its own. It waits
 * until the other half's call is over, and both go into one call, on the first lane.
 *
 * No account is ever in two running calls: its half has at most one.
 */
export class MainLanes {
  readonly #options: MainLanesOptions;
  readonly #halves: readonly [Half, Half];
  readonly #calls: Coalescer;

  constructor(options: MainLanesOptions) {
    this.#options = options;
    const toHalf = (lane: Lane): Half => ({ lane, queue: new BatchQueue(options), isRunning: false });
    this.#halves = [toHalf(options.lanes[0]), toHalf(options.lanes[1])];
    this.#calls = new Coalescer({
      isDue: () => this.#findDue().length > 0,
      send: () => this.#send(),
      // Microtasks run between the reads of two sockets: only at the end of a turn has everything been read that
      // arrived together.
      begins: 'end_of_turn',
      atOnce: this.#halves.length,
    });
  }

  get isIdle(): boolean {
    return this.#calls.isIdle;
  }

  /** Resolves when nothing waits and no call is running. */
  idle(): Promise<void> {
    return this.#calls.idle();
  }

  /** Call this whenever something was added to a queue. */
  start(): void {
    this.#calls.start();
  }

  /** The queue that an account's items wait in. */
  queueOf(accountId: string): BatchQueue {
    return this.#halfOf(accountId).queue;
  }

  /** Whether the room for both halves is used up. */
  isFull(kind: keyof Batch): boolean {
    const { maxSettlements, maxAdmissions } = this.#options;
    const [first, second] = this.#halves;
    const waiting = first.queue[kind].length + second.queue[kind].length;
    return waiting >= (kind === 'settlements' ? maxSettlements : maxAdmissions);
  }

  /** Removes and returns the expired ones. */
  takeExpired(isOver: IsOver): (WaitingSettlement | WaitingAdmission)[] {
    return this.#halves.flatMap(({ queue }) => queue.takeExpired(isOver));
  }

  /** The last digit of an id is random. */
  #halfOf(accountId: string): Half {
    return this.#halves[accountId.charCodeAt(accountId.length - 1) % 2 === 0 ? 0 : 1];
  }

  /** The halves that the next call takes; none if nothing waits, or if what waits is for a later call. */
  #findDue(): readonly Half[] {
    const isLarge = ({ queue }: Half): boolean => queue.length >= this.#options.minHalf;
    const waiting = this.#halves.filter(({ isRunning }) => !isRunning);
    if (waiting.length === this.#halves.length && !waiting.every(isLarge))
      return waiting.some(({ queue }) => !queue.isEmpty) ? waiting : [];
    return waiting.filter(isLarge).slice(0, 1);
  }

  async #send(): Promise<void> {
    const due = this.#findDue();
    const [first] = due;
    if (!first) return;
    const batch = emptyBatch();
    for (const half of due) {
      half.isRunning = true;
      append(batch, half.queue.takeBatch(this.#options.maxBatch));
    }
    if (due.length > 1) sortByAccount(batch.admissions);
    // The other half, if it has a call of its own.
    this.#calls.start('at_once');
    const { undone, contended } = await first.lane.send(batch);
    for (const half of due) half.isRunning = false;
    this.#putBack(undone);
    this.#takeContended(contended);
  }

  /** At the front. */
  #putBack(batch: Batch): void {
    for (const half of this.#halves)
      half.queue.putBack(partOf(batch, ({ item }) => this.#halfOf(item.accountId) === half));
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
    this.#putBack(contended);
    for (const accountId of accountIds) {
      this.#options.contended.add(accountId, this.queueOf(accountId).takeAccount(accountId));
    }
  }
}
