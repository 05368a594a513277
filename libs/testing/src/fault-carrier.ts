import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextStep, type FaultLine, type LineFault, type LineStep } from './fault-line';
import { resetConnection } from './reset-connection';

/** Carries what comes from one socket to another, as their line permits, until there is nothing more to carry. */
export async function carry(from: Socket, to: Socket, line: FaultLine): Promise<void> {
  await new Carrier(from, to, line).run();
}

class Carrier {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #line: FaultLine;
  readonly #closed = new AbortController();
  /** Under which fault the bytes were passed that are counted. */
  #countedUnder: LineFault | undefined;
  #passedBytes = 0;
  /** The line was cut: what still comes is lost. */
  #isCut = false;

  constructor(from: Socket, to: Socket, line: FaultLine) {
    this.#from = from;
    this.#to = to;
    this.#line = line;
    to.once('close', () => {
      this.#closed.abort();
    });
  }

  async run(): Promise<void> {
    let isReset = false;
    try {
      // Reading on only after a piece was passed is what makes the back-pressure.
      const pieces: AsyncIterable<unknown> = this.#from.iterator({ destroyOnReturn: false });
      for await (const piece of pieces) await this.#carryBytes(piece as Buffer);
    } catch {
      isReset = true;
    }
    await this.#carryEnd(isReset);
  }

  get #isOver(): boolean {
    return this.#isCut || this.#to.destroyed;
  }

  async #carryBytes(piece: Buffer): Promise<void> {
    let rest = piece;
    while (!this.#isOver) {
      const { changed } = this.#line;
      const step = this.#next(rest.length);
      if (step.kind === 'truncate' || step.kind === 'reset') this.#cut(step.kind);
      else if (step.kind === 'lose' || rest.length === 0) return;
      else if (await this.#mayPass(step, changed)) rest = await this.#write(rest, step);
    }
  }

  async #carryEnd(isReset: boolean): Promise<void> {
    while (!this.#isOver) {
      const { changed } = this.#line;
      const step = this.#next(0);
      if (step.kind === 'lose') return;
      if (step.kind === 'truncate' || step.kind === 'reset') this.#cut(step.kind);
      else if (await this.#mayPass(step, changed)) this.#cut(isReset ? 'reset' : 'truncate');
    }
  }

  #next(waitingBytes: number): LineStep {
    const { fault } = this.#line;
    if (fault !== this.#countedUnder) this.#passedBytes = 0;
    this.#countedUnder = fault;
    return nextStep(fault, this.#passedBytes, waitingBytes);
  }

  /** Waits as long as a step asks for. False where the fault has changed meanwhile: another step is due. */
  async #mayPass(step: LineStep, changed: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([changed, this.#closed.signal]);
    if (step.kind !== 'pass') await aborted(signal);
    else if (step.afterMs > 0) await sleep(step.afterMs, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  /** Passes a part on, and answers with the rest when the other side's system has taken it. */
  async #write(rest: Buffer, step: LineStep): Promise<Buffer> {
    const part = step.kind === 'pass' ? rest.subarray(0, step.bytes) : rest;
    this.#passedBytes += part.length;
    await new Promise((resolve) => this.#to.write(part, resolve));
    this.#line.notePassed(part.length);
    return rest.subarray(part.length);
  }

  #cut(kind: 'truncate' | 'reset'): void {
    this.#isCut = true;
    if (kind === 'truncate') this.#to.end();
    else for (const socket of [this.#from, this.#to]) resetConnection(socket);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}
