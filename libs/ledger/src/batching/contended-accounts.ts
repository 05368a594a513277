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
  /** Accounts that are waited for at once. */
  lanes: readonly Lane[];
  maxBatch: number;
  /** Per account, so that it does not use up the room of the others. */
  maxSettlements: number;
  maxAdmissions: number;
}

interface ContendedAccount {
  id: string;
  queue: BatchQueue;
}

/**
 * Accounts that another session has locked, and their waiting items. A lane takes the account that has waited
 * longest, waits a short time for its lock, and sends its items, settlements first. If the lock is still taken, the
 * account goes behind the others. An account without waiting items is no longer contended.
 *
 * It does not use `Turns` of libs/flow: a turn takes all items of the account, up to a batch, and puts unfinished
 * ones back at the front of its queue.
 */
export class ContendedAccounts {
  readonly #options: ContendedAccountsOptions;
  readonly #accounts = new Map<string, ContendedAccount>();
  /** Accounts that no lane is working on, longest waiting first. */
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

  /** Takes an account that was found locked, with all its waiting items, in order. */
  add(accountId: string, waiting: Batch): void {
    const account = { id: accountId, queue: new BatchQueue(this.#options) };
    account.queue.putBack(waiting);
    this.#accounts.set(accountId, account);
    this.#line.push(account);
    this.#start();
  }

  /** Removes and returns the expired ones. */
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
