import { within } from '@farebox/flow';
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
  /** Calls to the upstream that run at once, of all its models. */
  maxConcurrent: number;
  circuit: CircuitLimits;
  /** Milliseconds of a clock that is never set. */
  now: () => number;
  onCircuitChange: (upstreamModel: string, change: CircuitChange) => void;
  /** Asks the model for next to nothing. Does not throw. */
  probe: (upstreamModel: string) => Promise<Finding>;
}

/** What a call found out. */
export interface Finding {
  verdict: Verdict;
  /** For how long the model asked to be left alone, if it did. */
  restMs?: number | undefined;
}

/** `pauseMs`: how long the model is not asked. Nothing, if it is asked again. */
export type CircuitChange = { state: 'open'; pauseMs: number } | { state: 'closed' };

/** What a call that was let in tells of itself. */
export interface CallWatch {
  ended(finding: Finding): void;
}

interface WatchedModel {
  circuit: Circuit;
  rests: Rests;
  /** Calls that were answered, so far. */
  answered: number;
  probing: Promise<Verdict> | undefined;
  /** Until the next probe. */
  pause: NodeJS.Timeout | undefined;
}

/** A place is soon free again. */
const FULL_WAIT_MS = 1_000;
/**
 * An account may have so many times the places that are free. However many it asks for, one account alone gets three
 * quarters, two get three sevenths each, and there is always room for another one.
 */
const SHARE_OF_FREE = 3;
/** How long a customer waits to hear whose fault a failure was. */
const HEALTH_WAIT_MS = 5_000;

/**
 * Lets calls to one upstream through: so many at once, none of an account that has more than its share, none to a
 * model whose circuit is open, and none that the model has asked to wait. Each model of the upstream has a circuit of its own: one that fails says nothing about
 * its neighbours.
 */
export class CallGate {
  readonly #options: CallGateOptions;
  readonly #models = new Map<string, WatchedModel>();
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  #isClosed = false;

  constructor(options: CallGateOptions) {
    this.#options = options;
  }

  /** Takes a place for a call, or says why there is none. */
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

  /** Whether the model has failed so seldom that a request may be sent to it once more. */
  mayRepeat(upstreamModel: string): boolean {
    const { circuit } = this.#modelOf(upstreamModel);
    return circuit.state === 'closed' && circuit.failures.length < this.#options.circuit.failures;
  }

  /**
   * Looks at the model from now on. The answer, asked for later, says whether anybody was answered since; if nobody
   * was, a probe finds out.
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

  /** No probe begins any more. */
  close(): void {
    this.#isClosed = true;
    for (const { pause } of this.#models.values()) clearTimeout(pause);
  }

  #modelOf(upstreamModel: string): WatchedModel {
    const known = this.#models.get(upstreamModel);
    if (known) return known;
    const rests = new Rests(this.#options.circuit.witnesses);
    const model = { circuit: CLOSED, rests, answered: 0, probing: undefined, pause: undefined };
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
   * One at a time: whoever wants to know meanwhile hears of the one that runs. There is none while the model is to be
   * left alone.
   */
  #probe(upstreamModel: string, model: WatchedModel): Promise<Verdict> {
    if (this.#isClosed || model.rests.waitMsOfAll(this.#options.now()) > 0) return Promise.resolve('nothing');
    return (model.probing ??= this.#options.probe(upstreamModel).then(({ verdict, restMs }) => {
      const { now, circuit: limits } = this.#options;
      model.probing = undefined;
      if (restMs !== undefined) model.rests.note(undefined, restMs, now());
      if (verdict === 'works') model.answered++;
      const isUp = verdict === 'works' || verdict === 'nothing';
      if (!this.#isClosed) this.#change(upstreamModel, model, afterProbe(model.circuit, isUp, now(), limits));
      return verdict;
    }));
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
    this.#options.onCircuitChange(upstreamModel, { state: 'open', pauseMs });
    this.#probeAfter(pauseMs, upstreamModel, model);
  }

  /** Not only when a customer comes: theirs would be the request that is turned away. */
  #probeAfter(pauseMs: number, upstreamModel: string, model: WatchedModel): void {
    clearTimeout(model.pause);
    model.pause = setTimeout(() => {
      const restMs = model.rests.waitMsOfAll(this.#options.now());
      if (restMs > 0) this.#probeAfter(restMs, upstreamModel, model);
      else void this.#probe(upstreamModel, model);
    }, pauseMs).unref();
  }
}

/** What a failure says about the model's health. */
export function verdictOf({ kind, status, isUnreachable, wants }: UpstreamFailure): Verdict {
  if (wants) return 'nothing';
  switch (kind) {
    case 'unavailable':
      return isUnreachable ? 'unreachable' : 'fails';
    case 'garbage':
    case 'timeout':
      return 'fails';
    case 'misconfigured':
      // With 403 a server may mean the request as well. Nobody's request makes it forget a secret or a model.
      return status === 403 ? 'fails' : 'unreachable';
    case 'refused_request':
    case 'circuit_open':
    case 'told_to_wait':
    case 'full':
      return 'nothing';
  }
}
