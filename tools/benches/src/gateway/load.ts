import type { Contestant } from './contestants';
import { BareClient } from './http-client';
import { cpuMsOf, residentMibOf } from '../process-stat';

export interface Load {
  name: string;
  connections: number;
  stream: boolean;
}

/** What one round of a load on a contestant gave. */
export interface LoadRound {
  requestsPerSecond: number;
  /** Processor time of the contestant's processes. None for the upstream itself. */
  cpuMsPer1000: number;
  p50Ms: number;
  p99Ms: number;
  residentMib: number;
}

const PROMPT = 'Tell me something that is worth the fare. '.repeat(4);

/** Asks on so many connections, over and over, for this long; streams are let finish. */
export async function runLoad(
  { port, path, headers, processes }: Contestant,
  { connections, stream }: Load,
  durationMs: number,
): Promise<LoadRound> {
  const body = JSON.stringify({
    model: 'bench',
    messages: [{ role: 'user', content: PROMPT }],
    ...(stream ? { stream: true } : {}),
  });
  const request = {
    host: '127.0.0.1',
    port,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  };
  const clients = await Promise.all(Array.from({ length: connections }, () => BareClient.open(request)));
  const latenciesMs: number[] = [];
  const cpuBeforeMs = cpuMsOf(processes);
  const startedAtMs = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - startedAtMs < durationMs) {
        const askedAtMs = performance.now();
        await client.ask();
        latenciesMs.push(performance.now() - askedAtMs);
      }
    }),
  );
  const elapsedMs = performance.now() - startedAtMs;
  const cpuMs = cpuMsOf(processes) - cpuBeforeMs;
  for (const client of clients) client.close();
  latenciesMs.sort((a, b) => a - b);
  const at = (part: number): number => latenciesMs[Math.floor((latenciesMs.length - 1) * part)] ?? Number.NaN;
  return {
    requestsPerSecond: (latenciesMs.length / elapsedMs) * 1_000,
    cpuMsPer1000: (cpuMs / latenciesMs.length) * 1_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    residentMib: residentMibOf(processes),
  };
}
