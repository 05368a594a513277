import {
  afterCall,
  afterTrial,
  CLOSED,
  permitCall,
  type Circuit,
  type CircuitLimits,
  type Verdict,
} from './circuit';
import { UpstreamFailure, type UpstreamFailureKind } from './failure';

export interface CallGateOptions {
  /** Calls to the upstream that run at once, of all its models. */
  maxConcurrent: number;
  circuit: CircuitLimits;
  /** Milliseconds of a clock that is never set. */
  now: () => number;
  onCircuitChange: (upstreamModel: string, change: CircuitChange) => void;
}

/** `pauseMs`: how long the model is not asked. Nothing, where it is asked again. */
export type CircuitChange = { state: 'open'; pauseMs: number } | { state: 'closed' };

/** What a call that was let in tells of itself. */
export interface CallWatch {
  /** The answer has begun. */
  begun(): void;
  ended(verdict: Verdict): void;
}

/** A place is soon free again. */
const FULL_WAIT_MS = 1_000;

/**
 * Lets calls to one upstream through: so many at once, and none to a model whose circuit is open. Each model of the
 * upstream has a circuit of its own: one that fails says nothing about its neighbours, and a customer who makes one
 * fail takes nothing from the others.
 */
export class CallGate {
  readonly #options: CallGateOptions;
  readonly #circuits = new Map<string, Circuit>();
  #running = 0;

  constructor(options: CallGateOptions) {
    this.#options = options;
  }

  /** Takes a place for a call, or says why there is none. */
  enter(upstreamModel: string): CallWatch | UpstreamFailure {
    const { maxConcurrent, now } = this.#options;
    if (this.#running >= maxConcurrent) return new UpstreamFailure('full', { retryAfterMs: FULL_WAIT_MS });
    const permission = permitCall(this.#circuits.get(upstreamModel) ?? CLOSED, now());
    if (permission.outcome === 'wait')
      return new UpstreamFailure('circuit_open', { retryAfterMs: permission.waitMs });
    if (permission.outcome === 'trial') this.#circuits.set(upstreamModel, permission.circuit);
    this.#running++;
    return this.#watch(upstreamModel, permission.outcome === 'trial');
  }

  #watch(upstreamModel: string, isTrialAtFirst: boolean): CallWatch {
    let isTrial = isTrialAtFirst;
    let hasEnded = false;
    const note = (verdict: Verdict): void => {
      this.#note(upstreamModel, isTrial ? afterTrial : afterCall, verdict);
      isTrial = false;
    };
    return {
      begun() {
        // Enough for a trial: a stream may take many minutes to its end.
        if (isTrial) note('works');
      },
      ended: (verdict) => {
        if (hasEnded) return;
        hasEnded = true;
        this.#running--;
        note(verdict);
      },
    };
  }

  #note(upstreamModel: string, decide: typeof afterCall, verdict: Verdict): void {
    const { now, circuit: limits, onCircuitChange } = this.#options;
    const before = this.#circuits.get(upstreamModel) ?? CLOSED;
    const after = decide(before, verdict, now(), limits);
    if (after === before) return;
    this.#circuits.set(upstreamModel, after);
    if (after.state === 'open' && verdict === 'fails')
      onCircuitChange(upstreamModel, { state: 'open', pauseMs: after.pauseMs });
    if (after.state === 'closed' && before.state !== 'closed')
      onCircuitChange(upstreamModel, { state: 'closed' });
  }
}

/**
 * What a failure says about the model's health. An upstream that answers, be it that the request is wrong or that it
 * does not know our secret or the model, is up: a pause would not help, and an operator is told of it at each call.
 */
export function verdictOf({ kind }: UpstreamFailure): Verdict {
  return VERDICTS[kind];
}

const VERDICTS: Record<UpstreamFailureKind, Verdict> = {
  refused_request: 'works',
  misconfigured: 'works',
  unavailable: 'fails',
  garbage: 'fails',
  timeout: 'fails',
  circuit_open: 'nothing',
  full: 'nothing',
};
