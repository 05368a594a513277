import { SingleFlights, within } from '@farebox/flow';
import {
  afterCall,
  afterProbe,
  CLOSED,
  needsProbe,
  waitMsOf,
  type Circuit,
  type CircuitLimits,
  type Verdict,
} from './circuit';
import { UpstreamFailure } from './failure';
import { Rests } from './retry-after';

interface CallGateOptions {
  /** Concurrent calls to the upstream, over all its models. */
  maxConcurrent: number;
  circuit: CircuitLimits;
  /** Monotonic clock, in milliseconds. */
  now: () => number;
  onCircuitChange: (upstreamModel: string, change: CircuitChange) => void;
  /** Sends a minimal request to the model. Does not throw. */
  probe: (upstreamModel: string) => Promise<Finding>;
}

/** The outcome of a call. */
export interface Finding {
  verdict: Verdict;
  /** How long the model asked to be left alone, if it did. */
  restMs?: number | undefined;
}

/** `pauseMs`: how long the model is not asked; undefined if it is asked again. */
export type CircuitChange =
  | { state: 'open'; pauseMs: number; /** The pause before has just ended. */ wasOpen: boolean }
  | { state: 'closed' };

/** Reports on a call that was admitted. */
export interface CallWatch {
  ended(finding: Finding): void;
}

interface WatchedModel {
  circuit: Circuit;
  rests: Rests;
  /** Number of calls answered so far. */
  answered: number;
  /** Time until the next probe. */
  pause: NodeJS.Timeout | undefined;
}

/** A place is free again soon. */
const FULL_WAIT_MS = 1_000;
/**
 * An account may have this many times the number of free places. One account alone gets at most three
 * quarters, two get three sevenths each, and there is always room for another.
 */
const SHARE_OF_FREE = 3;
/** How long a customer waits to learn whether the request or the model is at fault. */
const HEALTH_WAIT_MS = 5_000;

/**
 * Admits calls to one upstream. It refuses a call over the limit of concurrent calls, one of an account over
 * its share, and one to a model whose circuit is open or that asked to wait. Each model of the upstream has
 * its own circuit, because a failing model says nothing about the others.
 *
 * It does not use `Turns` of libs/flow: a call that finds no place goes to another route, and never waits.
 */
export class CallGate {
  readonly #options: CallGateOptions;
  readonly #models = new Map<string, WatchedModel>();
  readonly #runningOf = new Map<string, number>();
  readonly #probes = new SingleFlights<WatchedModel, Verdict>();
  #running = 0;
  #isClosed = false;

  constructor(options: CallGateOptions) {
    this.#options = options;
  }

  /** Takes a place for a call, or returns why there is none. */
  enter(upstreamModel: string, accountId: string): CallWatch | UpstreamFailure {
    const { maxConcurrent, now, circuit } = this.#options;
    const ownRunning = this.#runningOf.get(accountId) ?? 0;
    if (ownRunning >= SHARE_OF_FREE * (maxConcurrent - this.#running))
      return new UpstreamFailure('full', { retryAfterMs: FULL_WAIT_MS });
    const model = this.#modelOf(upstreamModel);
    const restMs = model.rests.waitMs(accountId, now());
    const waitMs = waitMsOf(model.circuit, now());
    if (waitMs > 0) {
      if (needsProbe(model.circuit, now(), circuit)) void this.#probe(upstreamModel, model);
      return new UpstreamFailure('circuit_open', { retryAfterMs: Math.max(waitMs, restMs) });
    }
    if (restMs > 0) return new UpstreamFailure('told_to_wait', { retryAfterMs: restMs });
    this.#running++;
    this.#runningOf.set(accountId, ownRunning + 1);
    let hasEnded = false;
    return {
      ended: ({ verdict, restMs }) => {
        if (hasEnded) return;
        hasEnded = true;
        this.#leave(accountId);
        if (restMs !== undefined) this.#modelOf(upstreamModel).rests.note(accountId, restMs, now());
        this.#note(upstreamModel, verdict, accountId);
      },
    };
  }

  /** Whether the model fails so rarely that a request may be sent to it again. */
  mayRepeat(upstreamModel: string): boolean {
    const { circuit } = this.#modelOf(upstreamModel);
    return circuit.state === 'closed' && circuit.failures.length < this.#options.circuit.failures;
  }

  /**
   * Watches the model from now on. The returned function says whether anybody has been answered since; if
   * not, it sends a probe.
   */
  watchHealth(upstreamModel: string): () => Promise<boolean> {
    const model = this.#modelOf(upstreamModel);
    const answeredBefore = model.answered;
    return async () => {
      if (model.answered > answeredBefore) return true;
      if (model.circuit.state === 'open') return false;
      const verdict = await within(HEALTH_WAIT_MS, this.#probe(upstreamModel, model)).catch(() => 'nothing');
      return verdict === 'works' || model.answered > answeredBefore;
    };
  }

  /** Starts no more probes. */
  close(): void {
    this.#isClosed = true;
    for (const { pause } of this.#models.values()) clearTimeout(pause);
  }

  #modelOf(upstreamModel: string): WatchedModel {
    const known = this.#models.get(upstreamModel);
    if (known) return known;
    const rests = new Rests(this.#options.circuit.witnesses);
    const model = { circuit: CLOSED, rests, answered: 0, pause: undefined };
    this.#models.set(upstreamModel, model);
    return model;
  }

  #leave(accountId: string): void {
    this.#running--;
    const ownRunning = (this.#runningOf.get(accountId) ?? 1) - 1;
    if (ownRunning > 0) this.#runningOf.set(accountId, ownRunning);
    else this.#runningOf.delete(accountId);
  }

  #note(upstreamModel: string, verdict: Verdict, accountId: string): void {
    const { now, circuit: limits } = this.#options;
    const model = this.#modelOf(upstreamModel);
    if (verdict === 'works') model.answered++;
    this.#change(upstreamModel, model, afterCall(model.circuit, { verdict, accountId }, now(), limits));
    if (model.circuit.state === 'closed' && needsProbe(model.circuit, now(), limits))
      void this.#probe(upstreamModel, model);
  }

  /**
   * Runs one probe at a time; callers share the running one. There is none while the model asks to be left
   * alone.
   */
  #probe(upstreamModel: string, model: WatchedModel): Promise<Verdict> {
    if (this.#isClosed || model.rests.waitMsOfAll(this.#options.now()) > 0) return Promise.resolve('nothing');
    return this.#probes.run(model, async () => {
      const { now, circuit: limits, probe } = this.#options;
      const { verdict, restMs } = await probe(upstreamModel);
      if (restMs !== undefined) model.rests.note(undefined, restMs, now());
      if (verdict === 'works') model.answered++;
      const isUp = verdict === 'works' || verdict === 'nothing';
      if (!this.#isClosed) this.#change(upstreamModel, model, afterProbe(model.circuit, isUp, now(), limits));
      return verdict;
    });
  }

  #change(upstreamModel: string, model: WatchedModel, circuit: Circuit): void {
    const before = model.circuit;
    model.circuit = circuit;
    if (circuit === before) return;
    if (circuit.state === 'closed') {
      clearTimeout(model.pause);
      if (before.state === 'open') this.#options.onCircuitChange(upstreamModel, { state: 'closed' });
      return;
    }
    const { pauseMs } = circuit;
    this.#options.onCircuitChange(upstreamModel, {
      state: 'open',
      pauseMs,
      wasOpen: before.state === 'open',
    });
    this.#probeAfter(pauseMs, upstreamModel, model);
  }

  /** A timer starts the probe: otherwise a customer's request would be the one turned away. */
  #probeAfter(pauseMs: number, upstreamModel: string, model: WatchedModel): void {
    clearTimeout(model.pause);
    model.pause = setTimeout(() => {
      const restMs = model.rests.waitMsOfAll(this.#options.now());
      if (restMs > 0) this.#probeAfter(restMs, upstreamModel, model);
      else void this.#probe(upstreamModel, model);
    }, pauseMs).unref();
  }
}

/** The verdict of a failure on the health of the model. */
export function verdictOf({ kind, status, isUnreachable, wasIdleBefore, wants }: UpstreamFailure): Verdict {
  if (wants || wasIdleBefore) return 'nothing';
  switch (kind) {
    case 'unavailable':
      return isUnreachable ? 'unreachable' : 'fails';
    case 'garbage':
    case 'timeout':
      return 'fails';
    case 'misconfigured':
      // A 403 may refer to the request. No request makes a server forget a secret or a model.
      return status === 403 ? 'fails' : 'unreachable';
    case 'refused_request':
    case 'circuit_open':
    case 'told_to_wait':
    case 'full':
      return 'nothing';
  }
}
