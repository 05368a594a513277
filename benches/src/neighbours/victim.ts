import { cpus, totalmem } from 'node:os';
import { Agent } from 'undici';
import { median, toMarkdownTable } from '../bench';
import { codeIn } from './attacker';
import type { Attack } from './attacks';
import type { LoopDelay } from './harness';

export interface NeighboursOptions {
  seconds: number;
  rounds: number;
  attacks: readonly Attack[];
  /** Old requests in the database, most of them the attacker's. */
  history: number;
  /** The folder of the services' logs, if any. */
  logFolder?: string | undefined;
  /** The page for the table, if any, from the checkout's root. */
  out: string | undefined;
  /** The given value, to be written with the table. */
  commandLine: string;
}

/** The victim for some time, alone or beside the attacker. */
export interface MeasuredPart extends VictimPart {
  loop: LoopDelay;
  /** Share of one processor in hundredths; undefined if there is no /proc. */
  cpuPercent: { gateway: number; account: number; postgres: number } | undefined;
}

export interface Round {
  alone: MeasuredPart;
  beside: MeasuredPart;
  /** The attacker's responses, with their counts. */
  answers: Record<string, number>;
}

export interface MeasuredAttack {
  attack: Attack;
  rounds: Round[];
  /** Open holds of the attacker and the victim although nothing runs. */
  openHolds: number;
  /** For the gateway. */
  peakMib: number | undefined;
}

/** A customer's requests, and their rate. */
interface VictimOptions {
  gatewayOrigin: string;
  accountOrigin: string;
  apiKeys: readonly string[];
  sessionToken: string;
}

export const KINDS = ['whole', 'stream', 'account'] as const;
export type Kind = (typeof KINDS)[number];

/** Each begins on schedule, whether the earlier ones were answered or not: a waiting customer does not send fewer. */
export const PER_SECOND: Readonly<Record<Kind, number>> = { whole: 40, stream: 10, account: 5 };

/** The results of a part of a round: latencies of whole responses, first tokens of streams. */
export interface VictimPart {
  latenciesMs: Record<Kind, number[]>;
  asked: number;
  /** Errors with their counts. */
  errors: Record<string, number>;
}

/** A customer's own patience. */
const LONGEST_WAIT_MS = 60_000;
const BODY = JSON.stringify({
  ...{ model: 'plain', max_tokens: 64 },
  messages: [{ role: 'user', content: 'Tell me something.' }],
});
const STREAM_BODY = BODY.replace('{', '{"stream":true,');
const ACCOUNT_PATHS = ['/v1/usage/summary', '/v1/api-keys', '/v1/usage?limit=20', '/v1/billing/balance'];

/** An ordinary customer. */
export class Victim {
  readonly #options: VictimOptions;
  readonly #agent = new Agent({
    connections: 256,
    headersTimeout: LONGEST_WAIT_MS,
    bodyTimeout: LONGEST_WAIT_MS,
    connectTimeout: LONGEST_WAIT_MS,
  });
  #calls = 0;

  constructor(options: VictimOptions) {
    this.#options = options;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** Sends requests at the pace for this long, and waits for every response. */
  async ask(durationMs: number): Promise<VictimPart> {
    const part: VictimPart = { latenciesMs: { whole: [], stream: [], account: [] }, asked: 0, errors: {} };
    await Promise.all(KINDS.map((kind) => this.#askAtPace(kind, durationMs, part)));
    for (const kind of KINDS) part.latenciesMs[kind].sort((a, b) => a - b);
    return part;
  }

  async #askAtPace(kind: Kind, durationMs: number, part: VictimPart): Promise<void> {
    const everyMs = 1_000 / PER_SECOND[kind];
    const startedAtMs = performance.now();
    const running: Promise<void>[] = [];
    for (let dueMs = 0; dueMs < durationMs; dueMs += everyMs) {
      const waitMs = startedAtMs + dueMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      running.push(this.#askOnce(kind, part));
    }
    await Promise.all(running);
  }

  async #askOnce(kind: Kind, part: VictimPart): Promise<void> {
    part.asked++;
    const begunAtMs = performance.now();
    try {
      const answeredAtMs = await this.#answer(kind);
      part.latenciesMs[kind].push(answeredAtMs - begunAtMs);
    } catch (error) {
      const what = `${kind}: ${error instanceof Error ? error.message : String(error)}`;
      part.errors[what] = (part.errors[what] ?? 0) + 1;
    }
  }

  /** The time of the response. Throws any error. */
  async #answer(kind: Kind): Promise<number> {
    const { gatewayOrigin, accountOrigin, apiKeys, sessionToken } = this.#options;
    const turn = this.#calls++;
    const isAccount = kind === 'account';
    const token = isAccount ? sessionToken : (apiKeys[turn % apiKeys.length] ?? '');
    const { statusCode, body } = await this.#agent.request({
      origin: isAccount ? accountOrigin : gatewayOrigin,
      path: isAccount ? (ACCOUNT_PATHS[turn % ACCOUNT_PATHS.length] ?? '') : '/v1/chat/completions',
      method: isAccount ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(isAccount ? {} : { 'content-type': 'application/json' }),
      },
      body: isAccount ? null : kind === 'stream' ? STREAM_BODY : BODY,
    });
    let firstAtMs: number | undefined;
    let text = '';
    for await (const bytes of body) {
      text += String(bytes);
      if (text.includes('"content":" ')) firstAtMs ??= performance.now();
    }
    if (statusCode !== 200) throw new Error(`${String(statusCode)} ${codeIn(text)}`);
    if (kind === 'stream') {
      const event = /\{"object":"error".*/.exec(text)?.[0];
      if (event !== undefined) throw new Error(`an error event: ${codeIn(event)}`);
      if (!text.endsWith('data: [DONE]\n\n')) throw new Error('no end of the stream');
      if (firstAtMs === undefined) throw new Error('a stream without a text');
      return firstAtMs;
    }
    return performance.now();
  }
}

const HEADERS = [
  'beside',
  'errors',
  'whole p50 ms',
  'p99 ms',
  'p99 / alone',
  'first token p99 ms',
  'p99 / alone',
  'account p99 ms',
  'p99 / alone',
  'loop p99.9 ms, max (alone)',
  'CPU % gateway, account, PostgreSQL',
  'open holds',
  'gateway peak MiB',
];

/** The victim beside each attacker: errors of all rounds, medians of the rest. */
export function toReport(measured: readonly MeasuredAttack[]): string {
  return `${toMarkdownTable(HEADERS, measured.map(toLine))}\n\nWhat went wrong for the customer, and what the attacker was told:\n\n${measured.map(toAnswers).join('\n')}`;
}

function toLine({ attack, rounds, openHolds, peakMib }: MeasuredAttack): string[] {
  const of = (value: (round: Round) => number): number => median(rounds.map(value));
  const p99Of = (kind: Kind): [string, string] => [
    toMs(of(({ beside }) => percentile(beside, kind, 0.99))),
    of((round) => percentile(round.beside, kind, 0.99) / percentile(round.alone, kind, 0.99)).toFixed(1),
  ];
  const loopOf = (part: (round: Round) => MeasuredPart): string =>
    `${toMs(of((round) => part(round).loop.p999Ms))}, ${toMs(of((round) => part(round).loop.maxMs))}`;
  const cpu = (app: 'gateway' | 'account' | 'postgres'): string =>
    of(({ beside }) => beside.cpuPercent?.[app] ?? Number.NaN).toFixed(0);
  return [
    attack.name,
    `${String(errorsOf(rounds))} of ${String(rounds.reduce((sum, { beside }) => sum + beside.asked, 0))}`,
    toMs(of(({ beside }) => percentile(beside, 'whole', 0.5))),
    ...p99Of('whole'),
    ...p99Of('stream'),
    ...p99Of('account'),
    `${loopOf(({ beside }) => beside)} (${loopOf(({ alone }) => alone)})`,
    `${cpu('gateway')}, ${cpu('account')}, ${cpu('postgres')}`,
    String(openHolds),
    peakMib?.toFixed(0) ?? '',
  ];
}

export function errorsOf(rounds: readonly Round[]): number {
  return rounds.reduce((sum, { beside }) => sum + sumOf(beside.errors), 0);
}

function toAnswers({ attack, rounds }: MeasuredAttack): string {
  const errors = toCounts(rounds.map(({ beside }) => beside.errors));
  const answers = toCounts(rounds.map((round) => round.answers));
  return `- \`${attack.name}\` (${attack.what}): ${errors === '' ? '' : `the customer ${errors}; `}the attacker ${answers || 'nothing'}`;
}

/** The total count of each. */
function toCounts(counts: readonly Record<string, number>[]): string {
  const sum: Record<string, number> = {};
  for (const [what, times] of counts.flatMap((one) => Object.entries(one)))
    sum[what] = (sum[what] ?? 0) + times;
  return Object.entries(sum)
    .map(([what, times]) => `${times.toLocaleString('en')} × ${what}`)
    .join(', ');
}

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, times) => sum + times, 0);
}

/** NaN if nothing was answered. */
function percentile({ latenciesMs }: MeasuredPart, kind: Kind, part: number): number {
  const sorted = latenciesMs[kind];
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}

function toMs(ms: number): string {
  return ms < 100 ? ms.toFixed(1) : ms.toFixed(0);
}

/** The text between the comments of the page. */
export function toSection(
  measured: readonly MeasuredAttack[],
  { seconds, rounds, history, commandLine }: NeighboursOptions,
  { postgresVersion, date }: { postgresVersion: string; date: Date },
): string {
  const [cpu] = cpus();
  const load = KINDS.map((kind) => `${String(PER_SECOND[kind])} ${NAMES[kind]}`).join(', ');
  return `Written by \`${commandLine}\` on ${date.toISOString().slice(0, 10)}: for each attacker a gateway of its own and ${String(rounds)} rounds of ${String(seconds)} s
without and ${String(seconds)} s with the attacker, medians over the rounds; errors are those of all rounds. The customer's load is
steady, whatever comes of it: ${load} a second. All limits are those of a
service with default settings; ${history.toLocaleString('en')} old requests, most of them the attacker's, are in the database.
Machine: ${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown'}, ${(totalmem() / 1024 ** 3).toFixed(0)} GiB, Node ${process.versions.node}, PostgreSQL ${postgresVersion}, fsync on.
Customer, attacker, service and databases share the machine: they wait for each other's processor time. CPU is the share
of one processor. The loop's delay is that of the gateway, in its own process.

${toReport(measured)}`;
}

const NAMES: Readonly<Record<Kind, string>> = {
  whole: 'answers in one piece',
  stream: 'streams',
  account: 'questions to the account service',
};
