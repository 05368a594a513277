import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { METRICS, type MetricDefinition } from '@farebox/observability';
import { runToEnd } from '@farebox/local-services';
import type { ReceivedSpan } from '@farebox/testing';
import { waitUntil } from '../../test/whole-service';
import {
  APPS,
  givenObservedCustomer,
  startObservedService,
  type App,
  type ObservedService,
} from '../../test/observed-service';

const LONGEST_WAIT_MS = 60_000;
/** Source: faults, "Postgres down". */
const RECONNECT_BOUND_MS = 5_000;
const TICK_MS = 50;

let service: ObservedService;
let customer: Awaited<ReturnType<typeof givenObservedCustomer>>;
beforeAll(async () => {
  service = await startObservedService({ models: ['small', 'refuses-500'] });
  customer = await givenObservedCustomer(service, 'ada@example.com');
});
afterAll(() => service.close(), 120_000);

const readMetrics = async (app: App): Promise<string> =>
  (await fetch(`${service.metricsUrls[app]}/metrics`)).text();

function complete(model: string, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service.urls.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Tell me something.' }], ...more }),
  });
}

/** The span of a request or a job, after it and its parts have arrived. */
async function spansOf(requestId: string): Promise<{ root: ReceivedSpan; parts: ReceivedSpan[] }> {
  const find = (): ReceivedSpan | undefined =>
    service.collector.spans().find(({ attributes }) => attributes['farebox.request_id'] === requestId);
  expect(await waitUntil(() => find() !== undefined, LONGEST_WAIT_MS)).toBe(true);
  const root = find();
  if (!root) throw new Error('there is no span');
  const parts = service.collector.spans().filter((span) => span.traceId === root.traceId && span !== root);
  return { root, parts: parts.filter(({ spanId }) => spanId !== root.spanId) };
}

describe('metrics', () => {
  it.each(APPS)('of the %s are on a separate port, and are those it is documented to write', async (app) => {
    await (await complete('small', { stream: true })).text();
    const text = await readMetrics(app);
    const shown = [...text.matchAll(/^# TYPE (farebox_\w+) (\w+)$/gm)].map(([, name = '', type]) => [
      name,
      type,
    ]);
    expect(shown.length).toBeGreaterThan(5);
    for (const [name = '', type] of shown) {
      const definition: MetricDefinition | undefined = Object.entries(METRICS).find(
        ([one]) => one === name,
      )?.[1];
      expect([name, definition?.type]).toEqual([name, type]);
      // Two metrics of the process itself belong to every app.
      expect([name, definition?.writers]).toEqual([name, expect.arrayContaining([app]) as string[]]);
    }
    expect(text).toContain('farebox_ready 1\n');
    expect(text).toMatch(/farebox_build_info\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\} 1\n/);
    expect(text).toContain('nodejs_eventloop_lag_seconds');
  });

  it('are not on the ports that customers reach', async () => {
    for (const url of Object.values(service.urls)) expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it('of the worker report the state of the books, the outbox and the queues', async () => {
    const atRest = [
      'farebox_holds_open 0',
      'farebox_hold_oldest_age_seconds 0',
      'farebox_reviews_open{reason="charge_failed"} 0',
      'farebox_gateway_leases{lease_state="live"} 1',
      'farebox_gateway_leases{lease_state="lapsed"} 0',
      'farebox_outbox_rows 0',
      'farebox_queue_jobs{queue="farebox-charges",job_state="failed"} 0',
      'farebox_queue_oldest_waiting_seconds{queue="farebox-mail"} 0',
    ];
    // The mail about the customer's new key may still be in the outbox.
    let text = '';
    await waitUntil(async () => {
      text = await readMetrics('worker');
      return atRest.every((series) => text.includes(`${series}\n`));
    }, LONGEST_WAIT_MS);
    for (const series of atRest) expect(text).toContain(`${series}\n`);
    const jobDone = 'farebox_job_duration_seconds_count{job_name="sweep-holds",job_result="done"}';
    expect(
      await waitUntil(async () => (await readMetrics('worker')).includes(jobDone), LONGEST_WAIT_MS),
    ).toBe(true);
  });

  it('a port in use is reported in a sentence, and the process does not start', async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const started = runToEnd({
      name: 'worker',
      args: [service.bundleOf('worker')],
      env: { DATABASE_URL: service.db.workerUrl, FAREBOX_METRICS_PORT: String(port) },
    });
    await expect(started).rejects.toThrow(
      'The address for metrics is in use by another process: set FAREBOX_METRICS_PORT to a free port.',
    );
    other.close();
  });
});

describe('traces', () => {
  it('show a request with its admission, upstream call and charge as parts', async () => {
    const response = await complete('small', {}, { 'x-request-id': 'traced-whole' });
    await response.json();
    const { root, parts } = await spansOf('traced-whole');
    expect(root).toMatchObject({
      service: 'farebox-gateway',
      name: 'POST /v1/chat/completions',
      kind: 2,
      parentSpanId: undefined,
      attributes: { 'http.response.status_code': 200, 'http.route': '/v1/chat/completions' },
    });
    const byName = Object.fromEntries(parts.map((part) => [part.name, part]));
    expect(Object.keys(byName).sort()).toEqual(['admit', 'chat sim-small', 'settle']);
    for (const part of parts) expect(part.parentSpanId).toBe(root.spanId);
    expect(byName['chat sim-small']).toMatchObject({
      kind: 3,
      attributes: {
        'farebox.upstream': 'sim',
        'farebox.outcome': 'answered',
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'sim',
        'gen_ai.request.model': 'sim-small',
        'gen_ai.request.stream': false,
        'gen_ai.response.finish_reasons': ['stop'],
        'server.address': '127.0.0.1',
      },
    });
    expect(byName['chat sim-small']?.attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0);
    expect(byName['chat sim-small']?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
  });

  it('show the tokens of a stream, and why it finished', async () => {
    await (await complete('small', { stream: true }, { 'x-request-id': 'traced-stream' })).text();
    const { parts } = await spansOf('traced-stream');
    const call = parts.find(({ kind }) => kind === 3);
    expect(call?.attributes).toMatchObject({
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expect(call?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
  });

  it('show the cause and place of a failed request', async () => {
    await (await complete('refuses-500', { stream: true }, { 'x-request-id': 'traced-failure' })).text();
    const { root, parts } = await spansOf('traced-failure');
    expect(root).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'service_unavailable' } });
    const upstream = parts.find(({ kind }) => kind === 3);
    expect(upstream).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'unavailable' } });
  });

  it('show requests of the account service and jobs of the worker too', async () => {
    await fetch(`${service.urls.account}/v1/api-keys/${customer.keyPublicId}`, {
      headers: { authorization: `Bearer ${customer.sessionToken}`, 'x-request-id': 'traced-account' },
    });
    const { root } = await spansOf('traced-account');
    expect(root).toMatchObject({
      service: 'farebox-account',
      name: 'GET /v1/api-keys/:key_public_id',
      kind: 2,
    });
    const isJob = ({ name, kind }: ReceivedSpan): boolean => name === 'job sweep-holds' && kind === 5;
    expect(await waitUntil(() => service.collector.spans().some(isJob), LONGEST_WAIT_MS)).toBe(true);
  });

  it("continue a client's own trace only if the operator wants that, and never reach the upstream", async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'x-request-id': 'traced-stranger', traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    await (await complete('small', {}, headers)).text();
    const { root } = await spansOf('traced-stranger');
    expect(root.traceId).not.toBe(trace);
    const names = service.upstream.requests().flatMap((request) => Object.keys(request.headers));
    expect(names).not.toContain('traceparent');
  });

  it('report a missing collector once, and disturb nothing else', async () => {
    service.collector.answerWith(400);
    const failed = '"event":"trace_export_failed"';
    for (let i = 0; i < 3; i++) expect((await complete('small')).status).toBe(200);
    expect(await waitUntil(() => service.printed().includes(failed), LONGEST_WAIT_MS)).toBe(true);
    service.collector.answerWith(200);
    await (await complete('small')).text();
    const restored = '"event":"trace_export_restored"';
    expect(await waitUntil(() => service.printed().includes(restored), LONGEST_WAIT_MS)).toBe(true);
  });
});

/** Measures time while this machine runs: a stall counts for at most two ticks. */
function startClock(): { spentMs(): number; stop(): void } {
  let spentMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    spentMs += Math.min(nowMs - lastMs, 2 * TICK_MS);
    lastMs = nowMs;
  }, TICK_MS);
  return {
    spentMs: () => spentMs,
    stop() {
      clearInterval(timer);
    },
  };
}

describe('a database that goes away', () => {
  it('makes every process not ready, and ready again within five seconds of its return', async () => {
    const allAre = async (status: number): Promise<boolean> =>
      (await Promise.all(APPS.map((app) => service.readinessOf(app)))).every((one) => one === status);
    expect(await waitUntil(() => allAre(200), LONGEST_WAIT_MS)).toBe(true);

    service.line.toTarget.set({ kind: 'reset', afterBytes: 0 });
    service.line.reset();
    expect(await waitUntil(() => allAre(503), LONGEST_WAIT_MS)).toBe(true);
    for (const url of [...Object.values(service.urls), service.metricsUrls.worker])
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await complete('small')).status).toBe(503);
    const metrics = await readMetrics('worker');
    expect(metrics).toContain('farebox_ready 0\n');
    expect(metrics).not.toContain('farebox_holds_open');

    await service.line.heal();
    const clock = startClock();
    while (!(await allAre(200)) && clock.spentMs() <= LONGEST_WAIT_MS) await sleep(TICK_MS);
    expect(clock.spentMs()).toBeLessThanOrEqual(RECONNECT_BOUND_MS);
    clock.stop();
    expect((await complete('small')).status).toBe(200);
    expect(await readMetrics('worker')).toContain('farebox_holds_open ');
  });
});

describe('a stop', () => {
  it('is clean with metrics and traces on', async () => {
    await service.stop();
    for (const app of APPS) expect(await service.processes[app].exited).toMatchObject({ code: 0 });
  });
});
