import { queueOptionsSymbol, type TaskQueue } from 'piscina';

type Task = Parameters<TaskQueue['push']>[0];

/** Says whose a task is: `pool.run({ ...task, ...ownedBy(accountId) })`. */
export function ownedBy(accountId: string): object {
  return { [queueOptionsSymbol]: { accountId } };
}

/** What waits for a worker thread, one of each account in turn: a flood of one account delays nobody but itself. */
export class FairQueue implements TaskQueue {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Task[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(task: Task): void {
    const accountId = ownerOf(task);
    const tasks = this.#waiting.get(accountId);
    if (tasks) tasks.push(task);
    else this.#waiting.set(accountId, [task]);
    this.#size++;
  }

  shift(): Task | null {
    for (const [accountId, tasks] of this.#waiting) {
      const task = tasks.shift();
      // Taken out and put in again: its next turn is after all the others'.
      this.#waiting.delete(accountId);
      if (tasks.length > 0) this.#waiting.set(accountId, tasks);
      if (!task) continue;
      this.#size--;
      return task;
    }
    return null;
  }

  remove(task: Task): void {
    const accountId = ownerOf(task);
    const tasks = this.#waiting.get(accountId) ?? [];
    const at = tasks.indexOf(task);
    if (at < 0) return;
    tasks.splice(at, 1);
    this.#size--;
    if (tasks.length === 0) this.#waiting.delete(accountId);
  }
}

function ownerOf(task: Task): string {
  const options = task[queueOptionsSymbol] as { accountId: string } | null;
  return options?.accountId ?? '';
}
