import { createServer } from 'node:net';
import { ConfigError, type TelemetryConfig } from '@farebox/config';
import { createLogger, NO_TRACER } from '@farebox/observability';
import { openTelemetry, type RunningTelemetry } from './open-telemetry';

const lines: string[] = [];
const log = createLogger({
  service: 'test',
  level: 'info',
  destination: { write: (line) => lines.push(line) },
});
let telemetry: RunningTelemetry | undefined;
beforeEach(() => {
  lines.length = 0;
  telemetry = undefined;
});
afterEach(() => telemetry?.close());

/** Its URL, taken from the log. */
async function open(config: Partial<TelemetryConfig>, answersHealth = false): Promise<string> {
  const whole = { metrics: undefined, tracing: undefined, ...config };
  telemetry = await openTelemetry({ service: 'test', config: whole, log, answersHealth });
  const served = lines.map((line) => JSON.parse(line) as Record<string, unknown>).at(0);
  return `http://127.0.0.1:${String(served?.['port'])}`;
}

it('serves and traces nothing by default', async () => {
  await open({});
  expect(lines).toEqual([]);
  expect(telemetry?.tracer).toBe(NO_TRACER);
  expect(await telemetry?.metrics.text()).not.toContain('nodejs_');
});

it("reports the process as not ready until the service exists, and then the service's own state", async () => {
  const url = await open({ metrics: { host: '127.0.0.1', port: 0 } }, true);
  const readyNow = async (): Promise<[number, boolean]> => [
    (await fetch(`${url}/readyz`)).status,
    (await (await fetch(`${url}/metrics`)).text()).includes('farebox_ready 1\n'),
  ];
  expect(await readyNow()).toEqual([503, false]);
  let isReady = true;
  telemetry?.follow({ isReady: () => isReady });
  expect(await readyNow()).toEqual([200, true]);
  isReady = false;
  expect(await readyNow()).toEqual([503, false]);
});

it('leaves health checks to the port of customers if there is one', async () => {
  const url = await open({ metrics: { host: '127.0.0.1', port: 0 } });
  expect((await fetch(`${url}/readyz`)).status).toBe(404);
});

it.each([
  [{ host: '127.0.0.1' }, 'set FAREBOX_METRICS_PORT to a free port'],
  [{ host: '192.0.2.1' }, 'look at FAREBOX_METRICS_HOST'],
])('an address that it cannot use is reported in a sentence: %j', async ({ host }, sentence) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const opened = open({ metrics: { host, port } });
  await expect(opened).rejects.toThrow(ConfigError);
  await expect(opened).rejects.toThrow(sentence);
  other.close();
});
