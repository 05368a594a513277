import { hasSoundUpstream, isReplay, type Attempt } from '../../test/chat-client';
import type { Books, Finding } from '../audit/evidence';
import { booksSection, countBy, grouped, kindOf, row, section, verdict } from '../audit/summary';
import type { FailoverOptions, FaultKind } from './options';

/** A fault of a node. */
export interface Fault {
  node: string;
  /** The primary afterwards, if any. */
  primary: string | undefined;
  fromMs: number;
  /** From then on its processes were gone, or did nothing; after a full disk, it has space again. */
  goneAtMs: number;
  /** The gateways that did not serve again in time. */
  silentGateways: readonly number[];
  /** From the end of the fault until there was a synchronous standby; undefined if that did not come in time. */
  standbyAfterMs: number | undefined;
}

/** The actions and findings of a run. */
export interface FailoverReport {
  options: Pick<FailoverOptions, 'seed' | 'fault' | 'ttlSeconds' | 'gateways' | 'clients'>;
  faults: readonly Fault[];
  attempts: readonly Attempt[];
  books: Books;
  /** Everything that is wrong. */
  findings: readonly Finding[];
}

/** A fault, as clients noticed it. */
export interface Outage {
  fault: Fault;
  /** From the fault until the first request that was sent after it was answered; undefined if none was. */
  servesAfterMs: number | undefined;
  /** How often each thing that is no answer was seen until the next fault. */
  failures: [string, number][];
}

export function outagesOf(faults: readonly Fault[], attempts: readonly Attempt[]): Outage[] {
  return faults.map((fault, number) => {
    const untilMs = faults[number + 1]?.fromMs ?? Infinity;
    const since = attempts.filter(({ endedAtMs }) => endedAtMs >= fault.fromMs && endedAtMs < untilMs);
    const answers = since.filter(
      ({ result, startedAtMs }) => result.kind === 'answered' && startedAtMs > fault.goneAtMs,
    );
    const firstMs = Math.min(...answers.map(({ endedAtMs }) => endedAtMs));
    return {
      fault,
      servesAfterMs: answers.length === 0 ? undefined : firstMs - fault.fromMs,
      failures: countBy(since.filter(isFailure), kindOf),
    };
  });
}

/** Clients that leave or ask again, and an upstream that breaks off, are part of the load. */
function isFailure({ result, request }: Attempt): boolean {
  return (
    !isReplay(result) && result.kind !== 'answered' && result.kind !== 'hung_up' && hasSoundUpstream(request)
  );
}

/** Everything that is wrong with the failovers themselves. */
export function findingsOf(
  kind: FaultKind,
  faults: readonly Fault[],
  attempts: readonly Attempt[],
): Finding[] {
  const nothing = attempts.some(({ result }) => result.kind === 'answered')
    ? []
    : ['no request was answered'];
  return [...nothing, ...faults.flatMap((fault, index) => findingsOfFault(kind, fault, index))];
}

function findingsOfFault(
  kind: FaultKind,
  { node, primary, silentGateways, standbyAfterMs }: Fault,
  index: number,
): Finding[] {
  const at = `fault ${String(index + 1)}`;
  // A server whose disk is full may stay the primary, until there is space again.
  const isWrong = primary === undefined || (primary === node && kind !== 'primary-disk-full');
  return [
    ...silentGateways.map((number) => `${at}: gateway ${String(number)} did not serve again`),
    ...(isWrong ? [`${at}: no other node was the primary afterwards`] : []),
    ...(standbyAfterMs === undefined ? [`${at}: there was no synchronous standby again`] : []),
  ];
}

const seconds = (ms: number | undefined): string => (ms === undefined ? 'never' : (ms / 1_000).toFixed(1));

export function toText({ options, faults, attempts, books, findings }: FailoverReport): string {
  const { seed, ttlSeconds, gateways, clients } = options;
  const rows = outagesOf(faults, attempts).map(({ fault, servesAfterMs, failures }, index) =>
    row([
      String(index + 1),
      fault.node,
      seconds(servesAfterMs),
      seconds(fault.standbyAfterMs),
      listed(failures),
    ]),
  );
  return [
    `Seed ${seed}: ${options.fault} ${String(faults.length)} times, ttl ${String(ttlSeconds)} s, ${String(gateways)} gateways, ${String(clients)} clients`,
    '',
    row(['', 'node', 'serves again after, s', 'standby again after, s', 'not answered']),
    row(['-', '-', '-', '-', '-']),
    ...rows,
    '',
    section(`${grouped(attempts.length)} requests sent`, countBy(attempts, kindOf)),
    booksSection(books),
    ...verdict(findings),
  ].join('\n');
}

function listed(failures: readonly [string, number][]): string {
  return failures.length === 0
    ? 'none'
    : failures.map(([name, count]) => `${String(count)} × ${name}`).join('; ');
}

export function toJson({ options, faults, attempts, books, findings }: FailoverReport): string {
  const { seed, ttlSeconds, gateways, clients } = options;
  const value = {
    ...{ seed, ttl_seconds: ttlSeconds, gateways, clients },
    fault: options.fault,
    times: outagesOf(faults, attempts).map(({ fault, servesAfterMs, failures }) => ({
      node: fault.node,
      primary: fault.primary ?? null,
      serves_after_ms: servesAfterMs ?? null,
      standby_after_ms: fault.standbyAfterMs ?? null,
      not_answered: Object.fromEntries(failures),
    })),
    requests: Object.fromEntries(countBy(attempts, kindOf)),
    charges: books.charges.length,
    reviews: books.reviews.length,
    findings,
  };
  return JSON.stringify(value, null, 2);
}
