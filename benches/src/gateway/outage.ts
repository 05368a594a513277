import { setTimeout as sleep } from 'node:timers/promises';
import { type Contestant, type RunningUpstream, startUpstream } from './contestants';
import { type LoadRound, runLoad } from './load';
import type { Load } from './loads';

/** Longer than a gateway leaves a failed upstream alone. */
const LONGEST_RECOVERY_MS = 120_000;
const POLL_MS = 250;
const PROBE_MS = 1;

/** An upstream that goes down and comes up again, on the same port. */
export class FailingUpstream {
  readonly #upstream: RunningUpstream;
  /** Its first line says that it is up. */
  #told = 1;

  private constructor(upstream: RunningUpstream) {
    this.#upstream = upstream;
  }

  static async start(): Promise<FailingUpstream> {
    return new FailingUpstream(await startUpstream());
  }

  get origin(): string {
    return this.#upstream.origin;
  }

  stop(): Promise<unknown> {
    return this.#upstream.stop();
  }

  /** A round in whose middle it goes down. Afterwards it is up. Throws if the contestant does not call it before. */
  async runRound(contestant: Contestant, load: Load, durationMs: number): Promise<LoadRound> {
    await this.#untilCalled(contestant, load);
    let down: Promise<void> | undefined;
    const round = await runLoad(contestant, load, durationMs, () => {
      down = this.#toggle('down');
    });
    await down;
    await this.#toggle('ready');
    return round;
  }

  async #toggle(event: string): Promise<void> {
    const { service } = this.#upstream;
    const text = `"event":"${event}","told":${String(++this.#told)},`;
    service.signal('SIGUSR2');
    await service.until(service.output.waitForLine(text));
  }

  async #untilCalled(contestant: Contestant, load: Load): Promise<void> {
    const deadlineMs = Date.now() + LONGEST_RECOVERY_MS;
    const before = await this.#calls();
    const probe = { ...load, connections: 1 };
    for (;;) {
      await runLoad(contestant, probe, PROBE_MS);
      // More than the probe of a gateway that has found it up.
      if ((await this.#calls()) >= before + 3) return;
      if (Date.now() > deadlineMs)
        throw new Error(`${contestant.name} does not call its first upstream again`);
      await sleep(POLL_MS);
    }
  }

  async #calls(): Promise<number> {
    const response = await fetch(this.origin);
    return ((await response.json()) as { asked: number }).asked;
  }
}
