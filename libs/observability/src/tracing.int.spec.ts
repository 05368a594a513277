import { type OtlpReceiver, startOtlpReceiver } from '@farebox/testing';
import { inSpan, NO_SPAN, type Tracing, type TracingConfig } from './tracing';
import { openTracing } from './open-tracing';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE}-${PARENT}-01`;
const NOT_SAMPLED = `00-${TRACE}-${PARENT}-00`;

let receiver: OtlpReceiver;
let told: string[];
beforeEach(async () => {
  receiver = await startOtlpReceiver();
  told = [];
});
afterEach(() => receiver.close());

function open(changed: Partial<TracingConfig> = {}): Promise<Tracing> {
  return openTracing({
    service: 'gateway',
    tracesUrl: `${receiver.url}/v1/traces`,
    sampler: 'parentbased_always_on',
    ratio: 1,
    continuesTraces: false,
    onExportFailed: () => told.push('failed'),
    onExportRestored: () => told.push('restored'),
    ...changed,
  });
}

const failed = (): string => 'internal_error';

it('sends spans with their parents, and the error type of one that failed', async () => {
  const tracing = await open();
  const request = tracing.tracer.start('request', 'server', { 'farebox.request_id': 'req_1' });
  await inSpan(request, 'admit', () => Promise.resolve(), failed);
  const call = request.child('upstream', 'client', { 'farebox.upstream': 'sim' });
  call.end('timeout');
  const settling = inSpan(request, 'settle', () => Promise.reject(new Error('prompt of a customer')), failed);
  await expect(settling).rejects.toThrow();
  request.rename('POST /v1/chat/completions');
  request.set({ 'http.response.status_code': 200 });
  request.end();
  await tracing.close();

  const spans = receiver.spans();
  const [root] = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(root).toMatchObject({
    service: 'farebox-gateway',
    name: 'POST /v1/chat/completions',
    kind: 2,
    attributes: { 'farebox.request_id': 'req_1', 'http.response.status_code': 200 },
    hasFailed: false,
  });
  const parts = spans.filter((span) => span !== root);
  expect(
    parts.map(({ name, kind, hasFailed, attributes }) => [name, kind, hasFailed, attributes['error.type']]),
  ).toEqual([
    ['admit', 1, false, undefined],
    ['upstream', 3, true, 'timeout'],
    ['settle', 1, true, 'internal_error'],
  ]);
  for (const part of parts) expect([part.traceId, part.parentSpanId]).toEqual([root?.traceId, root?.spanId]);
  expect(receiver.text()).not.toContain('prompt of a customer');
});

it('continues the trace of the caller only if the operator allows it', async () => {
  for (const continuesTraces of [true, false]) {
    const tracing = await open({ continuesTraces });
    tracing.tracer.start(`continues ${String(continuesTraces)}`, 'server', {}, SAMPLED).end();
    tracing.tracer.start('not sampled', 'server', {}, NOT_SAMPLED).end();
    await tracing.close();
  }
  const spans = receiver.spans();
  expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['continues true', PARENT],
    ['continues false', undefined],
    ['not sampled', undefined],
  ]);
  expect(spans[0]?.traceId).toBe(TRACE);
  expect(spans[1]?.traceId).not.toBe(TRACE);
});

it.each([
  ['always_off', 1, 0],
  ['traceidratio', 0, 0],
  ['parentbased_traceidratio', 1, 20],
  ['always_on', 0, 20],
  ['parentbased_always_off', 1, 0],
] as const)('%s with %s records %s of 20', async (sampler, ratio, recorded) => {
  const tracing = await open({ sampler, ratio });
  for (let i = 0; i < 20; i++) {
    const span = tracing.tracer.start('request', 'server');
    expect(span.isRecording).toBe(recorded > 0);
    span.end();
  }
  await tracing.close();
  expect(receiver.spans()).toHaveLength(recorded);
});

it('reports a collector that refuses spans, and loses nothing but the spans', async () => {
  const tracing = await open();
  receiver.answerWith(400);
  tracing.tracer.start('lost', 'server').end();
  await tracing.close();
  expect(told).toEqual(['failed']);
});

it('closes in time if there is no collector', async () => {
  const tracing = await open({ tracesUrl: 'http://127.0.0.1:9/v1/traces' });
  tracing.tracer.start('lost', 'server').end();
  await expect(tracing.close()).resolves.toBeUndefined();
  expect(receiver.spans()).toEqual([]);
});

it('a span that is not recorded does nothing', async () => {
  expect(NO_SPAN.child('part', 'internal')).toBe(NO_SPAN);
  expect(await inSpan(NO_SPAN, 'part', (span) => Promise.resolve(span), failed)).toBe(NO_SPAN);
});
