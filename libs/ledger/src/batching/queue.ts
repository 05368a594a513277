import type { Admission, AdmissionResult, Settlement, SettlementResult } from '../hold';

/** A caller who waits for the ledger's answer to one item. */
export interface Waiting<Item, Result> {
  item: Item;
  deadlineAtMs: number;
  /** The deadline while the database answers: later for work in the background. */
  lastDeadlineAtMs: number;
  queuedAtMs: number;
  /** The caller got an error because there was no answer in time. The item's effect is undone if possible. */
  abandoned: boolean;
  resolve(result: Result): void;
  reject(error: Error): void;
  /** In how many consecutive calls another session had locked its account. */
  contendedCalls: number;
}

interface Together<Item> {
  max: number;
  keyOf: (item: Item) => string;
  maxBytes: number;
  bytesOf: (item: Item) => number;
}

/** A bounded queue of callers, in order of arrival. */
export class WaitingQueue<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  readonly #maxLength: number;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#maxLength;
  }

  add(waiting: Waiting<Item, Result>): void {
    this.#waiting.push(waiting);
  }

  /** Puts unfinished items back at the front. */
  putBack(waiting: Waiting<Item, Result>[]): void {
    this.#waiting.unshift(...waiting);
  }

  /** Takes the first ones, at most `max`. */
  take(max: number): Waiting<Item, Result>[] {
    return this.#waiting.splice(0, max);
  }

  /**
   * Takes the first ones that fit together: at most `max`, one of each key, and no more bytes than there is room for.
   * The first one goes whatever its size. Skipped ones wait, in order, for the next turn.
   */
  takeTogether({ max, keyOf, maxBytes, bytesOf }: Together<Item>): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const keys = new Set<string>();
    let bytes = 0;
    for (const waiting of this.#waiting) {
      const key = keyOf(waiting.item);
      const bytesWithIt = bytes + bytesOf(waiting.item);
      if (taken.length < max && !keys.has(key) && (bytesWithIt <= maxBytes || taken.length === 0)) {
        keys.add(key);
        bytes = bytesWithIt;
        taken.push(waiting);
      } else left.push(waiting);
    }
    this.#waiting = left;
    return taken;
  }

  /** Removes and returns, in order, the selected ones. */
  takeWhere(isMeant: (waiting: Waiting<Item, Result>) => boolean): Waiting<Item, Result>[] {
    const meant = this.#waiting.filter(isMeant);
    if (meant.length > 0) this.#waiting = this.#waiting.filter((waiting) => !isMeant(waiting));
    return meant;
  }
}

export type WaitingAdmission = Waiting<Admission, AdmissionResult>;
export type WaitingSettlement = Waiting<Settlement, SettlementResult>;

/** A batch: settlements, and admissions sorted by account. */
export interface Batch {
  settlements: WaitingSettlement[];
  admissions: WaitingAdmission[];
}

export function itemsOf({ settlements, admissions }: Batch): (WaitingSettlement | WaitingAdmission)[] {
  return [...settlements, ...admissions];
}

export const emptyBatch = (): Batch => ({ settlements: [], admissions: [] });

export function append(to: Batch, { settlements, admissions }: Batch): void {
  to.settlements.push(...settlements);
  to.admissions.push(...admissions);
}

/** In place. Array.prototype.sort is stable: the order of arrival is kept within an account. */
export function sortByAccount(admissions: WaitingAdmission[]): WaitingAdmission[] {
  return admissions.sort((a, b) =>
    a.item.accountId < b.item.accountId ? -1 : a.item.accountId > b.item.accountId ? 1 : 0,
  );
}

/** The selected items of a batch, in order. */
export function partOf(
  { settlements, admissions }: Batch,
  isMeant: (waiting: WaitingSettlement | WaitingAdmission) => boolean,
): Batch {
  return { settlements: settlements.filter(isMeant), admissions: admissions.filter(isMeant) };
}

/**
 * Moves the items of accounts in `waiting` behind those that wait there, so that they do not overtake; returns the
 * rest.
 */
export function putBehind(waiting: Batch, batch: Batch): Batch {
  const accountIds = new Set(itemsOf(waiting).map(({ item }) => item.accountId));
  append(
    waiting,
    partOf(batch, ({ item }) => accountIds.has(item.accountId)),
  );
  return partOf(batch, ({ item }) => !accountIds.has(item.accountId));
}

export function withoutAbandoned(batch: Batch): Batch {
  return partOf(batch, ({ abandoned }) => !abandoned);
}

/**
 * Its caller got an error because there was no answer in time, or there is no caller: a release of the batcher's own.
 */
export function isGivenUp(waiting: WaitingSettlement | WaitingAdmission): boolean {
  return waiting.abandoned || waiting.deadlineAtMs === Infinity;
}

/** Whether a waiter's time is over. */
export type IsOver = (waiting: Pick<WaitingSettlement, 'deadlineAtMs' | 'lastDeadlineAtMs'>) => boolean;

/** Its client has left, or is cut off by the end of this process. */
export function isUnattended({ usage, abandoned }: Settlement): boolean {
  return abandoned !== undefined || usage?.outcome === 'client_gone' || usage?.outcome === 'shutdown';
}

/** Kept answers of a queue that fit into one call. A larger one goes without others of its queue. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface BatchQueueOptions {
  maxSettlements: number;
  maxAdmissions: number;
}

/** Waiting settlements and admissions, each kind with its own limit. */
export class BatchQueue {
  readonly settlements: WaitingQueue<Settlement, SettlementResult>;
  readonly admissions: WaitingQueue<Admission, AdmissionResult>;

  constructor({ maxSettlements, maxAdmissions }: BatchQueueOptions) {
    this.settlements = new WaitingQueue(maxSettlements);
    this.admissions = new WaitingQueue(maxAdmissions);
  }

  /** Items of both kinds. */
  get length(): number {
    return this.settlements.length + this.admissions.length;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  /** The first ones, at most `max` of a kind. */
  takeBatch(max: number): Batch {
    const settlements = this.settlements.takeTogether({
      max,
      keyOf: (settlement) => settlement.holdId,
      maxBytes: MAX_ANSWER_BYTES,
      bytesOf: (settlement) => answerBytesOf(settlement),
    });
    return { settlements, admissions: sortByAccount(this.admissions.take(max)) };
  }

  takeAccount(accountId: string): Batch {
    return {
      settlements: this.settlements.takeWhere(({ item }) => item.accountId === accountId),
      admissions: this.admissions.takeWhere(({ item }) => item.accountId === accountId),
    };
  }

  /** Puts unfinished items back at the front. */
  putBack({ settlements, admissions }: Batch): void {
    this.settlements.putBack(settlements);
    this.admissions.putBack(admissions);
  }

  /** Removes and returns the expired ones. */
  takeExpired(isOver: IsOver): (WaitingSettlement | WaitingAdmission)[] {
    return [...this.settlements.takeWhere(isOver), ...this.admissions.takeWhere(isOver)];
  }
}

/** A staged answer is not in the call. */
function answerBytesOf({ usage }: Settlement): number {
  return usage?.answer instanceof Uint8Array ? usage.answer.byteLength : 0;
}
