import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type * as network from './network';
import { freePort, freePorts, waitForHttp } from './network';

/** Processes begin at random positions; here all begin at the same one. */
jest.mock('node:crypto', () => ({ ...jest.requireActual<object>('node:crypto'), randomInt: () => 7 }));

let server: Server | undefined;

afterEach(() => {
  server?.close();
});

async function listen(port: number, statuses: number[]): Promise<string> {
  server = createServer((_request, response) => {
    response.statusCode = statuses.length > 1 ? (statuses.shift() ?? 500) : (statuses[0] ?? 500);
    response.end();
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${String(port)}/readyz`;
}

it('returns ports that no connection gets by chance, none twice, and none that is taken', async () => {
  const port = await freePort();
  await listen(port + 1, [200]);
  const ports = await freePorts(100);
  expect(new Set([port, port + 1, ...ports]).size).toBe(102);
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000);
  expect(Math.max(...ports)).toBeLessThan(32_000);
});

it('returns no port that another process has reserved, even while nobody listens on it', async () => {
  const here = await freePorts(30);
  await jest.isolateModulesAsync(async () => {
    const other = jest.requireActual<typeof network>('./network');
    const there = await other.freePorts(30);
    expect(new Set([...here, ...there]).size).toBe(60);
  });
});

it('waits until the response is 2xx', async () => {
  const url = await listen(await freePort(), [503, 503, 200]);

  await expect(waitForHttp(url)).resolves.toBeUndefined();
});

it('waits for a server that does not listen yet', async () => {
  const port = await freePort();
  const ready = waitForHttp(`http://127.0.0.1:${String(port)}/readyz`);
  await listen(port, [200]);

  await expect(ready).resolves.toBeUndefined();
});

it('gives up after the bound and shows the last response', async () => {
  const url = await listen(await freePort(), [503]);

  await expect(waitForHttp(url, 200)).rejects.toThrow(/was not ready after 0.2 s; its last answer: 503/);
});
