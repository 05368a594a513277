import { Client } from 'undici';

export interface LoadOptions {
  origin: string;
  sessionToken: string;
  paths: readonly string[];
  connections: number;
  durationMs: number;
}

/** Asks on so many connections, over and over, for this long. Answers how long each answer took, sorted. */
export async function runUsageLoad(options: LoadOptions): Promise<number[]> {
  const { origin, sessionToken, paths, connections, durationMs } = options;
  const headers = { authorization: `Bearer ${sessionToken}` };
  const latenciesMs: number[] = [];
  let next = 0;
  const endsAtMs = performance.now() + durationMs;

  async function caller(): Promise<void> {
    const client = new Client(origin);
    try {
      while (performance.now() < endsAtMs) {
        const path = paths[next++ % paths.length] ?? '';
        const askedAtMs = performance.now();
        const { statusCode, body } = await client.request({ method: 'GET', path, headers });
        const text = await body.text();
        latenciesMs.push(performance.now() - askedAtMs);
        if (statusCode !== 200) throw new Error(`${path} was answered ${String(statusCode)}: ${text}`);
      }
    } finally {
      await client.close();
    }
  }

  await Promise.all(Array.from({ length: connections }, caller));
  return latenciesMs.sort((a, b) => a - b);
}
