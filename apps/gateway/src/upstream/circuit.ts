/**
 * Decides whether a model of an upstream is asked. Asking one that is down costs each customer the time-out
 * and delays its recovery. But a request of one customer can make a healthy server fail again and again,
 * which must not affect other customers. So failures are counted by account, and a probe, a tiny request of
 * the service's own, decides doubtful cases.
 *
 * - `closed`: the model is asked. Enough failures in a row open the circuit at once if there are enough
 *   witnesses: several accounts, or failures that no request can have caused. Otherwise a probe finds out
 *   whether it is down.
 * - `open`: the model is left alone until the pause ends; then a probe finds out whether it works. If not,
 *   the next pause is twice as long. Results of customers' calls that began earlier change nothing.
 */
export type Circuit =
  { state: 'closed'; failures: readonly Failure[] } | { state: 'open'; pauseMs: number; untilMs: number };

interface Failure {
  atMs: number;
  /** The account of the request; undefined if no request can have caused the failure. */
  accountId: string | undefined;
}

export interface CircuitLimits {
  /** This many failures in a row open the circuit or call for a probe. */
  failures: number;
  /** With this many accounts among them no probe is needed. */
  witnesses: number;
  /** The longest age of the oldest of them. */
  windowMs: number;
  firstPauseMs: number;
  longestPauseMs: number;
}

/**
 * The outcome of a call. `nothing` if the caller left before a response, or if the response says nothing
 * about the model: a server whose model has died may still reject a request.
 */
export type Verdict = 'works' | 'fails' | 'unreachable' | 'nothing';

interface EndedCall {
  verdict: Verdict;
  accountId: string;
}

export const CLOSED: Circuit = { state: 'closed', failures: [] };

/** A probe takes a moment; requests that arrive meanwhile may come again after this. */
const PROBE_WAIT_MS = 1_000;
/** Failures in a row to remember while a probe runs, as a multiple of those that call for it. */
const REMEMBERED = 4;

/** Milliseconds until the model may be asked; 0 if it may be asked now. */
export function waitMsOf(circuit: Circuit, nowMs: number): number {
  if (circuit.state === 'closed') return 0;
  return nowMs < circuit.untilMs ? circuit.untilMs - nowMs : PROBE_WAIT_MS;
}

/** Whether only a probe can decide the next state. */
export function needsProbe(circuit: Circuit, nowMs: number, limits: CircuitLimits): boolean {
  return circuit.state === 'closed' ? circuit.failures.length >= limits.failures : nowMs >= circuit.untilMs;
}

/** The circuit after a customer's call. */
export function afterCall(
  circuit: Circuit,
  { verdict, accountId }: EndedCall,
  nowMs: number,
  limits: CircuitLimits,
): Circuit {
  if (circuit.state === 'open' || verdict === 'nothing') return circuit;
  if (verdict === 'works') return circuit.failures.length === 0 ? circuit : CLOSED;
  const failure = { atMs: nowMs, accountId: verdict === 'unreachable' ? undefined : accountId };
  const failures = [...circuit.failures, failure]
    .filter(({ atMs }) => atMs > nowMs - limits.windowMs)
    .slice(-REMEMBERED * limits.failures);
  const isCertain = failures.length >= limits.failures && witnessesOf(failures) >= limits.witnesses;
  return isCertain ? openFor(limits.firstPauseMs, nowMs) : { state: 'closed', failures };
}

/** The circuit after a probe; `isUp`: it was answered, in whatever way. */
export function afterProbe(circuit: Circuit, isUp: boolean, nowMs: number, limits: CircuitLimits): Circuit {
  if (isUp) return CLOSED;
  // A customer was answered or the circuit opened meanwhile, so the probe adds nothing.
  if (!needsProbe(circuit, nowMs, limits)) return circuit;
  return circuit.state === 'closed'
    ? openFor(limits.firstPauseMs, nowMs)
    : openFor(Math.min(circuit.pauseMs * 2, limits.longestPauseMs), nowMs);
}

function witnessesOf(failures: readonly Failure[]): number {
  const accountIds = failures.map(({ accountId }) => accountId).filter((id) => id !== undefined);
  return new Set(accountIds).size + (failures.length - accountIds.length);
}

function openFor(pauseMs: number, nowMs: number): Circuit {
  return { state: 'open', pauseMs, untilMs: nowMs + pauseMs };
}
