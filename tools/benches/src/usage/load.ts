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
        await ask(client, path, headers);
        latenciesMs.push(performance.now() - askedAtMs);
      }
    } finally {
      await client.close();
    }
  }

  await Promise.all(Array.from({ length: connections }, caller));
  return latenciesMs.sort((a, b) => a - b);
}

/**
 * Resolves when the answer is there, whole; its body is not kept: what the client takes of the processor, the service
 * and the database wait for. Rejects where it is not a 200.
 */
function ask(client: Client, path: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let refusal = '';
    client.dispatch(
      { method: 'GET', path, headers },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, bytes) {
          if (status !== 200) refusal += bytes.toString();
        },
        onResponseEnd() {
          if (status === 200) resolve();
          else reject(new Error(`${path} was answered ${String(status)}: ${refusal}`));
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}
