/** What is wrong with one direction of a connection. Bytes are counted for each connection from when this is set. */
export type LineFault =
  | { kind: 'none' }
  /** Nothing goes on, and nothing is lost: it does when this is over. Whoever sends feels the back-pressure. */
  | { kind: 'hold' }
  /** Each piece goes on so much later. */
  | { kind: 'delay'; delayMs: number }
  | { kind: 'throttle'; bytesPerSecond: number }
  /** A black hole: what comes is taken and lost, the end of the connection as well. */
  | { kind: 'drop' }
  /** The connection ends in this direction after so many bytes, and not before something comes. */
  | { kind: 'truncate'; afterBytes: number }
  /** The connection is reset on both of its sides after so many bytes, and not before something comes. */
  | { kind: 'reset'; afterBytes: number };

/** What is to be done with what waits. */
export type LineStep =
  { kind: 'pass'; bytes: number; afterMs: number } | { kind: 'lose' | 'wait' | 'truncate' | 'reset' };

/** A throttled line passes this many pieces a second on. */
const PIECES_A_SECOND = 50;

/** Decides on bytes that wait, or on the end of the connection where none do, after so many were passed. */
export function nextStep(fault: LineFault, passedBytes: number, waitingBytes: number): LineStep {
  switch (fault.kind) {
    case 'none':
      return { kind: 'pass', bytes: waitingBytes, afterMs: 0 };
    case 'hold':
      return { kind: 'wait' };
    case 'drop':
      return { kind: 'lose' };
    case 'delay':
      return { kind: 'pass', bytes: waitingBytes, afterMs: fault.delayMs };
    case 'throttle': {
      const bytes = Math.min(waitingBytes, Math.max(1, Math.floor(fault.bytesPerSecond / PIECES_A_SECOND)));
      return { kind: 'pass', bytes, afterMs: (bytes * 1_000) / fault.bytesPerSecond };
    }
    case 'truncate':
    case 'reset': {
      const left = fault.afterBytes - passedBytes;
      if (left <= 0) return { kind: fault.kind };
      return { kind: 'pass', bytes: Math.min(waitingBytes, left), afterMs: 0 };
    }
  }
}

/** One direction of all connections of a proxy, with its fault. */
export class FaultLine {
  #fault: LineFault = { kind: 'none' };
  #change = new AbortController();
  #passedBytes = 0;

  get fault(): LineFault {
    return this.#fault;
  }

  /** Aborted when the fault is another one. */
  get changed(): AbortSignal {
    return this.#change.signal;
  }

  /** Of all connections, since the beginning. */
  get passedBytes(): number {
    return this.#passedBytes;
  }

  /** From now on, also for what waits on open connections. */
  set(fault: LineFault): void {
    this.#fault = fault;
    const former = this.#change;
    this.#change = new AbortController();
    former.abort();
  }

  /** Counts what was passed on. */
  notePassed(bytes: number): void {
    this.#passedBytes += bytes;
  }
}
