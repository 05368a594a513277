import { hasSoundUpstream, isReplay, type Attempt } from '../../test/chat-client';
import type { Books, Finding } from '../audit/evidence';
import { countBy, grouped, kindOf, section, verdict } from '../audit/summary';
import type { FailoverOptions } from './options';

/** A primary that was killed. */
export interface Kill {
  node: string;
  /** The primary afterwards, if any. */
  promoted: string | undefined;
  fromMs: number;
  /** From then on its processes were gone. */
  goneAtMs: number;
  /** The gateways that did not serve again in time. */
  silentGateways: readonly number[];
  /** From the start of the node until it was a synchronous standby; undefined if that did not come in time. */
  standbyAfterMs: number | undefined;
}

/** The actions and findings of a run. */
export interface FailoverReport {
  options: Pick<FailoverOptions, 'seed' | 'ttlSeconds' | 'gateways' | 'clients'>;
  kills: readonly Kill[];
  attempts: readonly Attempt[];
  books: Books;
  /** Everything that is wrong. */
  findings: readonly Finding[];
}

/** A kill, as clients noticed it. */
export interface Outage {
  kill: Kill;
  /** From the kill until the first request that was sent after it was answered; undefined if none was. */
  servesAfterMs: number | undefined;
  /** How often each thing that is no answer was seen until the next kill. */
  failures: [string, number][];
}

export function outagesOf(kills: readonly Kill[], attempts: readonly Attempt[]): Outage[] {
  return kills.map((kill, number) => {
    const untilMs = kills[number + 1]?.fromMs ?? Infinity;
    const since = attempts.filter(({ endedAtMs }) => endedAtMs >= kill.fromMs && endedAtMs < untilMs);
    const answers = since.filter(
      ({ result, startedAtMs }) => result.kind === 'answered' && startedAtMs > kill.goneAtMs,
    );
    const firstMs = Math.min(...answers.map(({ endedAtMs }) => endedAtMs));
    return {
      kill,
      servesAfterMs: answers.length === 0 ? undefined : firstMs - kill.fromMs,
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
export function findingsOf(kills: readonly Kill[], attempts: readonly Attempt[]): Finding[] {
  const nothing = attempts.some(({ result }) => result.kind === 'answered')
    ? []
    : ['no request was answered'];
  return [...nothing, ...kills.flatMap(findingsOfKill)];
}

function findingsOfKill({ node, promoted, silentGateways, standbyAfterMs }: Kill, index: number): Finding[] {
  const at = `kill ${String(index + 1)}`;
  return [
    ...silentGateways.map((number) => `${at}: gateway ${String(number)} did not serve again`),
    ...(promoted === undefined || promoted === node ? [`${at}: no other node became the primary`] : []),
    ...(standbyAfterMs === undefined ? [`${at}: ${node} did not become a synchronous standby`] : []),
  ];
}

const seconds = (ms: number | undefined): string => (ms === undefined ? 'never' : (ms / 1_000).toFixed(1));

export function toText({ options, kills, attempts, books, findings }: FailoverReport): string {
  const { seed, ttlSeconds, gateways, clients } = options;
  const rows = outagesOf(kills, attempts).map(({ kill, servesAfterMs, failures }, index) =>
    row([
      String(index + 1),
      kill.node,
      seconds(servesAfterMs),
      seconds(kill.standbyAfterMs),
      listed(failures),
    ]),
  );
  return [
    `Seed ${seed}: ${String(kills.length)} kills, ttl ${String(ttlSeconds)} s, ${String(gateways)} gateways, ${String(clients)} clients`,
    '',
    row(['kill', 'killed', 'serves again after, s', 'standby again after, s', 'not answered']),
    row(['-', '-', '-', '-', '-']),
    ...rows,
    '',
    section(`${grouped(attempts.length)} requests sent`, countBy(attempts, kindOf)),
    section('Books', [
      ['charged', books.charges.length],
      ['of them refunded', books.charges.filter(({ refundedNano }) => refundedNano > 0n).length],
      ['in review', books.reviews.length],
      ['holds left', books.heldRequestIds.length],
    ]),
    ...verdict(findings),
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function listed(failures: readonly [string, number][]): string {
  return failures.length === 0
    ? 'none'
    : failures.map(([name, count]) => `${String(count)} × ${name}`).join('; ');
}

export function toJson({ options, kills, attempts, books, findings }: FailoverReport): string {
  const { seed, ttlSeconds, gateways, clients } = options;
  const value = {
    ...{ seed, ttl_seconds: ttlSeconds, gateways, clients },
    kills: outagesOf(kills, attempts).map(({ kill, servesAfterMs, failures }) => ({
      killed: kill.node,
      promoted: kill.promoted ?? null,
      serves_after_ms: servesAfterMs ?? null,
      standby_after_ms: kill.standbyAfterMs ?? null,
      not_answered: Object.fromEntries(failures),
    })),
    requests: Object.fromEntries(countBy(attempts, kindOf)),
    charges: books.charges.length,
    reviews: books.reviews.length,
    findings,
  };
  return JSON.stringify(value, null, 2);
}
