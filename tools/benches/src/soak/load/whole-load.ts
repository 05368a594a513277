import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant } from '../../gateway/contestants/contestant';
import type { BareClient } from '../../gateway/http-client';
import { openClient } from './open-client';
import type { Refusals } from './refusals';

const CLIENTS = 8;
const PAUSE_MS = 200;

/** Whole answers beside the streams, some forty a second. */
export class WholeLoad {
  completed = 0;
  #isOver = false;
  readonly #contestant: Contestant;
  readonly #refusals: Refusals;

  constructor(contestant: Contestant, refusals: Refusals) {
    this.#contestant = contestant;
    this.#refusals = refusals;
  }

  /** Asks until it is stopped. Rejects where too many answers fail. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, () => this.#ask()));
  }

  stop(): void {
    this.#isOver = true;
  }

  async #ask(): Promise<void> {
    while (!this.#isOver) {
      const client = await openClient(this.#contestant);
      await this.#refusals.during(this.#useConnection(client));
      client.close();
    }
  }

  async #useConnection(client: BareClient): Promise<void> {
    while (!this.#isOver) {
      await client.ask();
      this.completed++;
      await sleep(PAUSE_MS);
    }
  }
}
