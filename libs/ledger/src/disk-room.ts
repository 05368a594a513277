import { setTimeout as sleep } from 'node:timers/promises';
import { isDiskFull } from '@farebox/database';
import type pg from 'pg';

/**
 * More than a part of the server's log (16 MiB), which must have room too: rows that do not fit into `work_mem` are
 * written to the server's disk, and forgotten with the statement. With `temp_tablespaces` it may be another disk.
 */
const LOOK = `SET LOCAL work_mem = '64kB';
  WITH rows AS MATERIALIZED (SELECT repeat('.', 8000) AS filler FROM generate_series(1, 2500))
  SELECT count(filler) FROM rows`;

/** Whether the database's disk has room. Throws if that cannot be found out. */
export async function hasDiskRoom(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query(LOOK);
    return true;
  } catch (error) {
    if (isDiskFull(error)) return false;
    throw error;
  }
}

export interface DiskRoomOptions {
  pool: pg.Pool;
  pauseMs: number;
  /** Called when the disk is found full, and when it has room again. */
  onFull: ((isFull: boolean) => void) | undefined;
}

/**
 * Whether the database's disk is full. A hold may fit where another one was, while its charge finds no room: then
 * nothing may be admitted, since it would be done and not paid.
 */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #isFull = false;
  #isWatching = false;
  #isStopped = false;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** If the disk may be full according to an error of the ledger, looks now, and again until there is room. */
  note(error: unknown): void {
    if (this.#isWatching || !isDiskFull(error)) return;
    this.#isWatching = true;
    void this.#watch();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #watch(): Promise<void> {
    const { pool, pauseMs, onFull } = this.#options;
    while (!this.#isStopped) {
      const wasFull = this.#isFull;
      this.#isFull = await hasDiskRoom(pool).then(
        (hasRoom) => !hasRoom,
        () => wasFull,
      );
      if (this.#isFull !== wasFull) onFull?.(this.#isFull);
      if (!this.#isFull) break;
      await sleep(pauseMs);
    }
    this.#isWatching = false;
  }
}
