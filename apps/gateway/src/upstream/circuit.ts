/**
 * Whether a model of an upstream is asked at all. Asking one that is down costs customers the time-out each time, and
 * keeps the upstream from getting well. But what one customer sends may make a healthy server fail again and again:
 * that must take nothing from the others. So failures count by whose requests they were, and a probe, a tiny request of
 * the service's own, decides what they leave open.
 *
 * - `closed`: it is asked. So many failures in a row open the circuit at once if there are enough witnesses: several
 *   accounts, or failures that no request can have caused. If there are not, a probe finds out whether it is down.
 * - `open`: it is left alone until the pause is over; then a probe finds out whether it works again. If it does not, the
 *   next pause is twice as long. What customers' calls that began before it still bring changes nothing.
 */
export type Circuit =
  { state: 'closed'; failures: readonly Failure[] } | { state: 'open'; pauseMs: number; untilMs: number };

interface Failure {
  atMs: number;
  /** Whose request it was; nobody's if no request can have caused it. */
  accountId: string | undefined;
}

export interface CircuitLimits {
  /** So many, one after the other, open the circuit or call for a probe. */
  failures: number;
  /** So many accounts among them need no probe. */
  witnesses: number;
  /** The oldest of them is not older than this. */
  windowMs: number;
  firstPauseMs: number;
  longestPauseMs: number;
}

/**
 * What a call found out. Nothing, if the caller went before there was a response, or if the response says nothing about
 * the model: a server whose model has died may still be able to call a request wrong.
 */
export type Verdict = 'works' | 'fails' | 'unreachable' | 'nothing';

interface EndedCall {
  verdict: Verdict;
  accountId: string;
}

export const CLOSED: Circuit = { state: 'closed', failures: [] };

/** A probe takes a moment: whoever comes meanwhile may come again after this. */
const PROBE_WAIT_MS = 1_000;
/** What is remembered of failures in a row while a probe runs, as a multiple of those that call for it. */
const REMEMBERED = 4;

/** How long to wait before the model may be asked, in milliseconds; 0 if it may be asked now. */
export function waitMsOf(circuit: Circuit, nowMs: number): number {
  if (circuit.state === 'closed') return 0;
  return nowMs < circuit.untilMs ? circuit.untilMs - nowMs : PROBE_WAIT_MS;
}

/** Whether only a probe can tell how it goes on. */
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
  // A customer was answered meanwhile, or the circuit was opened meanwhile: the probe has no news.
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
