import type { Lane } from './lane';
import {
  BatchQueue,
  itemsOf,
  type Batch,
  type IsOver,
  type WaitingAdmission,
  type WaitingSettlement,
} from './queue';

export interface ContendedAccountsOptions {
  /** So many accounts are waited for at once. */
  lanes: readonly Lane[];
  maxBatch: number;
  /** Of one account, so that it does not use up the room of the others. */
  maxSettlements: number;
  maxAdmissions: number;
}

interface ContendedAccount {
  id: string;
  queue: BatchQueue;
}

/**
 * Accounts that somebody else has locked, and whatever waits for them. A lane takes the account that has waited longest,
 * waits for its lock, not long, and sends its items, settlements first. If somebody else still has the lock by then, the
 * account goes behind the others. One of which nothing waits any more is contended no longer.
 *
 * It does not use `Turns` of libs/flow: a turn takes all that waits for the account, up to a batch, and what it leaves
 * undone goes back to the front of its queue.
 */
export class ContendedAccounts {
  readonly #options: ContendedAccountsOptions;
  readonly #accounts = new Map<string, ContendedAccount>();
  /** Those that no lane is busy with, the one that has waited longest first. */
  readonly #line: ContendedAccount[] = [];
  readonly #idle: Lane[];
  readonly #running = new Set<Promise<void>>();

  constructor(options: ContendedAccountsOptions) {
    this.#options = options;
    this.#idle = [...options.lanes];
  }

  get isEmpty(): boolean {
    return this.#accounts.size === 0;
  }

  /** The queue of an account that is contended now. */
  queueOf(accountId: string): BatchQueue | undefined {
    return this.#accounts.get(accountId)?.queue;
  }

  /** Takes an account that was found locked, with all that waits for it, in order. */
  add(accountId: string, waiting: Batch): void {
    const account = { id: accountId, queue: new BatchQueue(this.#options) };
    account.queue.putBack(waiting);
    this.#accounts.set(accountId, account);
    this.#line.push(account);
    this.#start();
  }

  /** Removes and returns those whose time is over. */
  takeExpired(isOver: IsOver): (WaitingSettlement | WaitingAdmission)[] {
    return [...this.#accounts.values()].flatMap(({ queue }) => queue.takeExpired(isOver));
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #start(): void {
    while (this.#line.length > 0) {
      const lane = this.#idle.pop();
      if (!lane) return;
      const running: Promise<void> = this.#run(lane).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async #run(lane: Lane): Promise<void> {
    for (let account = this.#line.shift(); account; account = this.#line.shift()) {
      const { id, queue } = account;
      const batch = queue.takeBatch(this.#options.maxBatch);
      if (itemsOf(batch).length > 0) {
        const { undone, contended } = await lane.send(batch, id);
        queue.putBack(contended);
        queue.putBack(undone);
      }
      if (queue.isEmpty) this.#accounts.delete(id);
      else this.#line.push(account);
    }
    this.#idle.push(lane);
  }
}
