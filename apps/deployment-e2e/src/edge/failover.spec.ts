import type { RequestListener } from 'node:http';
import { closeGracefully, createHttpServer, listen, NOT_BEGUN_HEADER } from '@farebox/http';
import { waitUntil } from '@farebox/testing';
import { startEdge, withNameServer, type EdgeProcess } from './edge-process';
import { echo, startFakeService, type FakeService } from './fake-service';
import { startNameServer } from './name-server';

const removals: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0).reverse()) await remove();
});

async function service(listener: RequestListener): Promise<FakeService> {
  const started = await startFakeService(listener);
  removals.push(() => started.close());
  return started;
}

const gateways = (first: string, second: string): Record<string, string> => ({
  FAREBOX_EDGE_GATEWAY_1: first,
  FAREBOX_EDGE_GATEWAY_2: second,
});

async function edgeTo(first: string, second: string): Promise<EdgeProcess> {
  const edge = await startEdge(gateways(first, second));
  removals.push(() => edge.process.stop());
  return edge;
}

async function ask(edge: EdgeProcess, body = 'hello'): Promise<[number, string]> {
  const response = await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', body });
  return [response.status, await response.text()];
}

it('sends the whole body to the other gateway if one cannot be reached', async () => {
  const { address } = await service(echo('two'));
  const edge = await edgeTo('127.0.0.1:1', address);
  for (const body of ['x'.repeat(3_000_000), 'y'])
    expect(await ask(edge, body)).toEqual([200, `two got ${String(body.length)} from 127.0.0.1`]);
});

it('does not repeat a request that a gateway may have started to process', async () => {
  let asked = 0;
  const dying: RequestListener = (req) => {
    asked += 1;
    req.on('end', () => req.socket.destroy()).resume();
  };
  const edge = await edgeTo((await service(dying)).address, (await service(dying)).address);
  expect((await ask(edge))[0]).toBe(500);
  expect(asked).toBe(1);
});

it('repeats a request that only reads if a gateway dies during it', async () => {
  const dying = await service((req) => req.socket.destroy());
  const other = await service((req, res) => res.end(`${String(req.method)} ${String(req.url)}`));
  const edge = await edgeTo(dying.address, other.address);
  for (let i = 0; i < 4; i++) {
    const response = await fetch(`${edge.url}/v1/models`);
    expect([response.status, await response.text()]).toEqual([200, 'GET /v1/models']);
  }
});

it('repeats what a stopping gateway refused unread', async () => {
  let refused = 0;
  // As `closeGracefully` refuses the requests of a proxy that sends this header.
  const stopping = await service((req, res) => {
    expect(req.headers[NOT_BEGUN_HEADER]).toBe('425');
    refused += 1;
    res.writeHead(425, { connection: 'close' }).end();
  });
  const edge = await edgeTo(stopping.address, (await service(echo('two'))).address);
  for (const body of ['hello', 'x'.repeat(50_000), 'y', 'z'])
    expect(await ask(edge, body)).toEqual([200, `two got ${String(body.length)} from 127.0.0.1`]);
  expect(refused).toBeGreaterThan(0);
});

it('answers 503 if every gateway is stopping', async () => {
  const stopping = await service((_req, res) => res.writeHead(425, { connection: 'close' }).end());
  const [status, text] = await ask(await edgeTo(stopping.address, stopping.address));
  expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
});

it('asks a frozen gateway for nothing more within seconds, and for more once it is back', async () => {
  const asked: string[] = [];
  let isFrozen = true;
  const frozen = await gateway((req, res) => {
    if (!isFrozen) echo('one')(req, res);
    else if (req.resume().url !== '/healthz') asked.push(String(req.url));
  });
  const edge = await edgeTo(frozen, (await service(echo('two'))).address);
  await waitUntil(async () => {
    const before = asked.length;
    const answers = await Promise.all([quickly(edge), quickly(edge), quickly(edge), quickly(edge)]);
    return asked.length === before && answers.every((answer) => answer?.startsWith('two'));
  }, 'only the other gateway is asked');
  isFrozen = false;
  await waitUntil(async () => (await quickly(edge))?.startsWith('one') === true, 'it is asked again');
});

/** The response, or undefined if there is none within a second. */
async function quickly(edge: EdgeProcess): Promise<string | undefined> {
  const signal = AbortSignal.timeout(1_000);
  return fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', body: 'a', signal }).then(
    (response) => response.text(),
    () => undefined,
  );
}

it('asks all gateways if all look frozen', async () => {
  const busy = await gateway((req, res) => {
    if (req.url !== '/healthz') echo('one')(req, res);
  });
  const edge = await edgeTo(busy, busy);
  await edge.process.output.waitForLine('gateways/gateway-2 is DOWN');
  expect(await ask(edge)).toEqual([200, 'one got 5 from 127.0.0.1']);
});

it('asks all gateways if all look frozen, also those that a name server knows', async () => {
  const frozen = await gateway((req, res) => {
    if (req.url !== '/healthz') echo('one')(req, res);
  });
  const names = await startNameServer();
  removals.push(() => names.close());
  const [, port = ''] = frozen.split(':');
  const edge = await withNameServer(names.address, (config) =>
    startEdge(gateways(`gateway-1.test:${port}`, `gateway-2.test:${port}`), undefined, config),
  );
  removals.push(() => edge.process.stop());
  await edge.process.output.waitForLine('gateways/gateway-2 is DOWN');
  expect(await ask(edge)).toEqual([200, 'one got 5 from 127.0.0.1']);
});

/** Unlike a fake service, it may leave probes unanswered: the system takes connections for a process that stands still. */
async function gateway(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener);
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  removals.push(async () => {
    server.closeAllConnections();
    await closeGracefully(server, 0);
  });
  return `127.0.0.1:${String(port)}`;
}
