/**
 * Whether a model of an upstream is asked at all. Asking one that is down costs the customer the time-out each time,
 * and keeps the upstream from getting well.
 *
 * - `closed`: it is asked. Failures one after the other within the window open the circuit.
 * - `open`: it is left alone until the pause is over. What calls that began before it still bring changes nothing.
 * - `half_open`: one call, the trial, finds out. It closes the circuit, or opens it again for twice the pause; where
 *   nobody waited for its end, the next call is the trial.
 */
export type Circuit =
  | { state: 'closed'; failedAtMs: readonly number[] }
  | { state: 'open'; pauseMs: number; untilMs: number }
  | { state: 'half_open'; pauseMs: number };

export interface CircuitLimits {
  /** So many, one after the other, open the circuit. */
  failures: number;
  /** The oldest of them is not older than this. */
  windowMs: number;
  firstPauseMs: number;
  longestPauseMs: number;
}

/** What a call found out. Nothing, where the caller went before there was an answer. */
export type Verdict = 'works' | 'fails' | 'nothing';

export const CLOSED: Circuit = { state: 'closed', failedAtMs: [] };

export type Permission =
  { outcome: 'call' } | { outcome: 'trial'; circuit: Circuit } | { outcome: 'wait'; waitMs: number };

/** A trial takes a moment: whoever comes meanwhile may come again after this. */
const TRIAL_WAIT_MS = 1_000;

/** Whether another call may begin now; a trial changes the circuit. */
export function permitCall(circuit: Circuit, nowMs: number): Permission {
  switch (circuit.state) {
    case 'closed':
      return { outcome: 'call' };
    case 'open':
      return nowMs < circuit.untilMs
        ? { outcome: 'wait', waitMs: circuit.untilMs - nowMs }
        : { outcome: 'trial', circuit: { state: 'half_open', pauseMs: circuit.pauseMs } };
    case 'half_open':
      return { outcome: 'wait', waitMs: TRIAL_WAIT_MS };
  }
}

/** The circuit after an ordinary call. */
export function afterCall(circuit: Circuit, verdict: Verdict, nowMs: number, limits: CircuitLimits): Circuit {
  if (circuit.state !== 'closed' || verdict === 'nothing') return circuit;
  if (verdict === 'works') return circuit.failedAtMs.length === 0 ? circuit : CLOSED;
  const failedAtMs = [...circuit.failedAtMs, nowMs].filter((atMs) => atMs > nowMs - limits.windowMs);
  return failedAtMs.length < limits.failures
    ? { state: 'closed', failedAtMs }
    : openFor(limits.firstPauseMs, nowMs);
}

/** The circuit after the trial. */
export function afterTrial(
  circuit: Circuit,
  verdict: Verdict,
  nowMs: number,
  { longestPauseMs }: CircuitLimits,
): Circuit {
  if (circuit.state !== 'half_open') return circuit;
  switch (verdict) {
    case 'works':
      return CLOSED;
    case 'fails':
      return openFor(Math.min(circuit.pauseMs * 2, longestPauseMs), nowMs);
    case 'nothing':
      return { state: 'open', pauseMs: circuit.pauseMs, untilMs: nowMs };
  }
}

function openFor(pauseMs: number, nowMs: number): Circuit {
  return { state: 'open', pauseMs, untilMs: nowMs + pauseMs };
}
