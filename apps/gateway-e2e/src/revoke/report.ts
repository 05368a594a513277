import type { Finding } from './audit/audit';
import { isServed } from './audit/verdict';
import type { History } from './changes/history';
import { CHANGE_KINDS, REDIS_STATES, type PlannedRound } from './changes/plan';
import type { Attempt } from './load/attempt';
import type { RevokeOptions } from './options';

/** What a run did and found. */
export interface RevokeReport {
  options: RevokeOptions;
  rounds: readonly PlannedRound[];
  attempts: readonly Attempt[];
  histories: readonly History[];
  /** Requests begun after the answer to a change with what it took away. */
  mustBeRefused: number;
  /** Everything that is not as it must be. */
  findings: readonly Finding[];
}

const MAX_FINDINGS = 50;

/** The run in one line, and a line for each finding. */
export function toText(report: RevokeReport): string {
  const { options, rounds, attempts, mustBeRefused, findings } = report;
  const kinds = CHANGE_KINDS.map((kind) => `${count(rounds, (round) => round.kind === kind)} ${kind}`);
  const redis = REDIS_STATES.map((state) => `${count(rounds, (round) => round.redis === state)} ${state}`);
  const outcomes = [...new Set(attempts.map(({ outcome }) => outcome))]
    .sort()
    .map((outcome) => `${count(attempts, (attempt) => attempt.outcome === outcome)} ${outcome}`);
  const summary =
    `Seed ${options.seed}: ${String(rounds.length)} rounds (${kinds.join(', ')}; Redis ${redis.join(', ')}) on ` +
    `${String(options.gateways)} gateways, ${grouped(attempts.length)} requests (${outcomes.join(', ')}), ` +
    `${grouped(mustBeRefused)} of them begun after what they had was taken, ` +
    `${grouped(streamsAcross(report))} streams over a change; ${grouped(findings.length)} findings.`;
  const more = findings.length - MAX_FINDINGS;
  return [
    summary,
    ...findings.slice(0, MAX_FINDINGS).map((finding) => `- ${finding}`),
    ...(more > 0 ? [`and ${grouped(more)} more`] : []),
  ].join('\n');
}

/** Streams that ran while their key was taken away, and came to their end. */
export function streamsAcross({ attempts, histories }: RevokeReport): number {
  return attempts.filter(
    ({ asked, outcome, customer, begunAt, endedAt }) =>
      asked.kind === 'stream' &&
      isServed(outcome) &&
      histories[customer]?.some(({ sentAt, answeredAt }) => sentAt > begunAt && answeredAt < endedAt),
  ).length;
}

function count<T>(items: readonly T[], isMeant: (item: T) => boolean): string {
  return grouped(items.filter(isMeant).length);
}

function grouped(number: number): string {
  return number.toLocaleString('en');
}
