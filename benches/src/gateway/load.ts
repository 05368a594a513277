import { cpuMsOf, residentMibOf } from '../processes';
import { BareClient } from './bare-client';
import type { Contestant, DatabasesCpuMs } from './contestants';
import type { Load } from './loads';
import { RequestCycle, toRequests } from './requests';
import { DEFAULT_PACE, streamedText, TOKEN_TEXT, WHOLE_TEXT, wholeText } from './upstream-answers';

/**
 * The result of one round of a load on a contestant. Processor times are for 1,000 requests. A session of an agent
 * counts as one request.
 */
export interface LoadRound {
  requestsPerSecond: number;
  /** For the contestant's own processes. None for the upstream itself. */
  cpuMsPer1000: number;
  /** For the databases behind it, if it has any and they can be measured. */
  databasesCpuMsPer1000: DatabasesCpuMs;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  residentMib: number;
  /** Number of requests without a whole 200. They are in no other figure. */
  failed: number;
  /** The first error. */
  failure?: string;
  /** The busy share of the client's own event loop: near 1, the client sets the pace. */
  clientBusy: number;
}

/** A response that has not arrived by then, after the round, never will. */
const LONGEST_ANSWER_MS = 30_000;

/**
 * Sends requests on this many connections, at least once and for this long; streams and sessions may finish. Failures
 * are counted. `midway` is called once, after half the time.
 */
export async function runLoad(
  contestant: Contestant,
  load: Load,
  durationMs: number,
  midway?: () => void,
): Promise<LoadRound> {
  const { processes, databasesCpuMs } = contestant;
  const measured = await openConnections(contestant, load);
  const beside = load.beside ? await openConnections(contestant, load.beside) : [];
  const databasesBefore = databasesCpuMs?.() ?? {};
  const cpuBeforeMs = cpuMsOf(processes);
  const loopBefore = performance.eventLoopUtilization();
  const startedAtMs = performance.now();
  const tooLate = setTimeout(() => {
    for (const connection of [...measured, ...beside]) connection.fail(new Error('no answer'));
  }, durationMs + LONGEST_ANSWER_MS);
  const half = midway && setTimeout(midway, durationMs / 2);
  const isOver = (): boolean => performance.now() - startedAtMs >= durationMs;
  await Promise.all([...measured, ...beside].map((connection) => connection.run(isOver)));
  clearTimeout(tooLate);
  clearTimeout(half);
  const elapsedMs = performance.now() - startedAtMs;
  const { utilization } = performance.eventLoopUtilization(loopBefore);
  const cpuMs = cpuMsOf(processes) - cpuBeforeMs;
  const databasesAfter = databasesCpuMs?.() ?? {};
  const latenciesMs = measured.flatMap((connection) => connection.latenciesMs).sort((a, b) => a - b);
  const failures = [...measured, ...beside].flatMap((connection) => connection.failures);
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
    maxMs: at(1),
    residentMib: residentMibOf(processes),
    failed: failures.length,
    ...(failure === undefined ? {} : { failure }),
    clientBusy: utilization,
  };
}

function openConnections(contestant: Contestant, load: Load): Promise<Connection[]> {
  return Promise.all(
    Array.from({ length: load.connections }, (_, number) => Connection.open(contestant, load, number)),
  );
}

/** A client that sends its next request as soon as the last one is answered. */
class Connection {
  readonly latenciesMs: number[] = [];
  readonly failures: string[] = [];
  readonly #requests: RequestCycle;
  readonly #open: () => Promise<BareClient>;
  #client: BareClient;

  private constructor(requests: RequestCycle, client: BareClient, open: () => Promise<BareClient>) {
    this.#requests = requests;
    this.#client = client;
    this.#open = open;
  }

  static async open(contestant: Contestant, load: Load, number: number): Promise<Connection> {
    const open = (): Promise<BareClient> => BareClient.open({ host: '127.0.0.1', port: contestant.port });
    return new Connection(new RequestCycle(contestant, load, number), await open(), open);
  }

  fail(error: Error): void {
    this.#client.fail(error);
  }

  async run(isOver: () => boolean): Promise<void> {
    do {
      const unit = this.#requests.next();
      const askedAtMs = performance.now();
      try {
        for (const request of unit) await this.#client.ask(undefined, request);
        this.latenciesMs.push(performance.now() - askedAtMs);
      } catch (error) {
        this.failures.push(error instanceof Error ? error.message : String(error));
        this.#client.close();
        const next = await this.#open().catch(() => undefined);
        if (!next) return;
        this.#client = next;
      }
    } while (!isOver());
    this.#client.close();
  }
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
 * Sends one unit of requests, and throws if a response differs from the upstream's: a contestant that is fast with
 * another response must not be compared.
 */
export async function checkAnswer(contestant: Contestant, load: Load): Promise<void> {
  const expected = load.stream ? TOKEN_TEXT.repeat((load.pace ?? DEFAULT_PACE).chunks) : WHOLE_TEXT;
  for (const { host, port, path, headers, body } of toRequests(contestant, load)[0] ?? []) {
    const response = await fetch(`http://${host}:${String(port)}${path}`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(LONGEST_CHECK_MS),
    });
    const text = await response.text();
    if (response.status !== 200 || (load.stream ? streamedText(text) : wholeText(text)) !== expected)
      throw new Error(
        `${contestant.name} does not hand on what the upstream said to ${load.name}: ${String(response.status)} ${text.slice(0, 400)}`,
      );
  }
}
