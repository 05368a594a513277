import { openMetricsServer, type MetricsServer, type MetricsServerOptions } from './metrics-server';

const quiet = { error: () => undefined, warn: () => undefined };
let server: MetricsServer | undefined;
afterEach(() => server?.close());

async function open(changed: Partial<MetricsServerOptions> = {}): Promise<string> {
  server = await openMetricsServer({
    host: '127.0.0.1',
    port: 0,
    metrics: { text: () => Promise.resolve('farebox_ready 1\n'), contentType: 'text/plain; version=0.0.4' },
    readiness: undefined,
    log: quiet,
    ...changed,
  });
  return `http://127.0.0.1:${String(server.port)}`;
}

it('serves metrics, and nothing else', async () => {
  const url = await open();
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4');
  expect(await response.text()).toBe('farebox_ready 1\n');
  for (const path of ['/', '/healthz', '/readyz', '/metrics/', '/v1/models'])
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
});

it('answers health checks if nothing else in the process can', async () => {
  let ready = false;
  const url = await open({ readiness: { isReady: () => ready } });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
  ready = true;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('farebox_ready');
});

it('responds with the envelope if the metrics cannot be read, and logs the reason only', async () => {
  const logged: unknown[] = [];
  const metrics = { text: () => Promise.reject(new Error('inside')), contentType: 'text/plain' };
  const url = await open({ metrics, log: { ...quiet, error: (fields) => logged.push(fields.error) } });
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('inside');
  expect(logged).toEqual([new Error('inside')]);
});

it('rejects if the port is in use', async () => {
  const port = Number(new URL(await open()).port);
  await expect(
    openMetricsServer({
      host: '127.0.0.1',
      port,
      metrics: { text: () => Promise.resolve(''), contentType: '' },
      readiness: undefined,
      log: quiet,
    }),
  ).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('is closed at once, even if a client keeps a connection open', async () => {
  const url = await open();
  await fetch(`${url}/metrics`);
  await server?.close();
  await expect(fetch(`${url}/metrics`)).rejects.toThrow();
});
