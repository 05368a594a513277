/** The fault of one direction of a connection. Bytes are counted per connection from when it is set. */
export type LineFault =
  | { kind: 'none' }
  /**
   * Passes nothing and loses nothing: everything passes once the fault ends. The sender sees back-pressure.
   */
  | { kind: 'hold' }
  /** Passes each piece this much later. */
  | { kind: 'delay'; delayMs: number }
  | { kind: 'throttle'; bytesPerSecond: number }
  /** A black hole: accepts and loses everything, including the end of the connection. */
  | { kind: 'drop' }
  /** Ends the connection in this direction after this many bytes, but not before data arrives. */
  | { kind: 'truncate'; afterBytes: number }
  /** Resets the connection on both sides after this many bytes, but not before data arrives. */
  | { kind: 'reset'; afterBytes: number };

/** The action for the waiting bytes. */
export type LineStep =
  { kind: 'pass'; bytes: number; afterMs: number } | { kind: 'lose' | 'wait' | 'truncate' | 'reset' };

/** A throttled line passes this many pieces per second. */
const PIECES_A_SECOND = 50;

/** The action for waiting bytes, or for the end of the connection if there are none, after `passedBytes`. */
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

  /** Aborted when the fault changes. */
  get changed(): AbortSignal {
    return this.#change.signal;
  }

  /** Across all connections, since the start. */
  get passedBytes(): number {
    return this.#passedBytes;
  }

  /** Takes effect at once, including for bytes waiting on open connections. */
  set(fault: LineFault): void {
    this.#fault = fault;
    const former = this.#change;
    this.#change = new AbortController();
    former.abort();
  }

  /** Counts passed bytes. */
  notePassed(bytes: number): void {
    this.#passedBytes += bytes;
  }
}
