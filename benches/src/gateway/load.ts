import { cpuMsOf, residentMibOf } from '../processes';
import { BareClient, type RequestText } from './bare-client';
import type { Contestant, DatabasesCpuMs } from './contestants';
import {
  askForPace,
  DEFAULT_PACE,
  type Pace,
  streamedText,
  TOKEN_TEXT,
  WHOLE_TEXT,
  wholeText,
} from './upstream-answers';

export interface Load {
  name: string;
  connections: number;
  stream: boolean;
  /** The pace of the stream. Default: the upstream's own pace. */
  pace?: Pace;
}

/** The result of one round of a load on a contestant. Processor times are for 1,000 requests. */
export interface LoadRound {
  requestsPerSecond: number;
  /** For the contestant's own processes. None for the upstream itself. */
  cpuMsPer1000: number;
  /** For the databases behind it, if it has any and they can be measured. */
  databasesCpuMsPer1000: DatabasesCpuMs;
  p50Ms: number;
  p99Ms: number;
  residentMib: number;
  /** Number of requests without a whole 200. They are in no other figure. */
  failed: number;
  /** The first error. */
  failure?: string;
  /** The busy share of the client's own event loop: near 1, the client sets the pace. */
  clientBusy: number;
}

const PROMPT = 'Tell me something that is worth the fare. '.repeat(4);

const chatBody = (prompt: string): object => ({ messages: [{ role: 'user', content: prompt }] });

/** The body of a request to this contestant. */
export function bodyOf({ toBody = chatBody }: Contestant, { stream, pace }: Load): string {
  const prompt = pace ? askForPace(pace) : PROMPT;
  return JSON.stringify({ model: 'bench', ...toBody(prompt), ...(stream ? { stream: true } : {}) });
}

/** A response that has not arrived by then, after the round, never will. */
const LONGEST_ANSWER_MS = 30_000;

/**
 * Sends requests on this many connections, at least once and for this long; streams may finish. Failures are counted.
 */
export async function runLoad(contestant: Contestant, load: Load, durationMs: number): Promise<LoadRound> {
  const { port, path, headers, processes, databasesCpuMs } = contestant;
  const request: RequestText = {
    host: '127.0.0.1',
    port,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: bodyOf(contestant, load),
  };
  const clients = await Promise.all(Array.from({ length: load.connections }, () => BareClient.open(request)));
  const latenciesMs: number[] = [];
  const failures: string[] = [];
  const databasesBefore = databasesCpuMs?.() ?? {};
  const cpuBeforeMs = cpuMsOf(processes);
  const loopBefore = performance.eventLoopUtilization();
  const startedAtMs = performance.now();
  const tooLate = setTimeout(() => {
    for (const client of clients) client.fail(new Error('no answer'));
  }, durationMs + LONGEST_ANSWER_MS);
  await Promise.all(
    clients.map(async (_, i) => {
      do {
        const askedAtMs = performance.now();
        try {
          await clients[i]?.ask();
          latenciesMs.push(performance.now() - askedAtMs);
        } catch (error) {
          failures.push(error instanceof Error ? error.message : String(error));
          clients[i]?.close();
          const next = await BareClient.open(request).catch(() => undefined);
          if (!next) return;
          clients[i] = next;
        }
      } while (performance.now() - startedAtMs < durationMs);
    }),
  );
  clearTimeout(tooLate);
  const elapsedMs = performance.now() - startedAtMs;
  const { utilization } = performance.eventLoopUtilization(loopBefore);
  const cpuMs = cpuMsOf(processes) - cpuBeforeMs;
  const databasesAfter = databasesCpuMs?.() ?? {};
  for (const client of clients) client.close();
  latenciesMs.sort((a, b) => a - b);
  const at = (part: number): number => latenciesMs[Math.floor((latenciesMs.length - 1) * part)] ?? Number.NaN;
  const per1000 = (ms: number): number => (ms / latenciesMs.length) * 1_000;
  const [failure] = failures;
  return {
    requestsPerSecond: (latenciesMs.length / elapsedMs) * 1_000,
    cpuMsPer1000: per1000(cpuMs),
    databasesCpuMsPer1000: Object.fromEntries(
      Object.entries(databasesAfter).map(([name, ms]) => [
        name,
        per1000(ms - (databasesBefore[name as keyof DatabasesCpuMs] ?? 0)),
      ]),
    ),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    residentMib: residentMibOf(processes),
    failed: failures.length,
    ...(failure === undefined ? {} : { failure }),
    clientBusy: utilization,
  };
}

/** For loads that allow no failure: throws if there was one. */
export async function runWholeLoad(...load: Parameters<typeof runLoad>): Promise<LoadRound> {
  const round = await runLoad(...load);
  if (round.failed > 0)
    throw new Error(
      `${load[0].name} failed ${String(round.failed)} times, first with: ${round.failure ?? ''}`,
    );
  return round;
}

const LONGEST_CHECK_MS = 30_000;

/**
 * Sends one request, and throws if the response differs from the upstream's: a contestant that is fast with another
 * response must not be compared.
 */
export async function checkAnswer(contestant: Contestant, load: Load): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${String(contestant.port)}${contestant.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...contestant.headers },
    body: bodyOf(contestant, load),
    signal: AbortSignal.timeout(LONGEST_CHECK_MS),
  });
  const text = await response.text();
  const expected = load.stream ? TOKEN_TEXT.repeat((load.pace ?? DEFAULT_PACE).chunks) : WHOLE_TEXT;
  if (response.status !== 200 || (load.stream ? streamedText(text) : wholeText(text)) !== expected)
    throw new Error(
      `${contestant.name} does not hand on what the upstream said: ${String(response.status)} ${text.slice(0, 400)}`,
    );
}
