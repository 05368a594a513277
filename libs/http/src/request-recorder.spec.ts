import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger, createMetrics, NO_TRACER } from '@farebox/observability';
import { createRequestMeter, RequestRecorder } from './request-recorder';
import { noteErrorCode } from './response-end';

/** Serves one request, and returns its record. */
async function recorded(
  refusedBy: string | undefined,
  isCut = false,
): Promise<{ lines: unknown[]; metrics: string }> {
  const lines: unknown[] = [];
  const log = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  });
  const metrics = createMetrics({ measuresNode: false });
  const requests = createRequestMeter(metrics);
  const recorder = new RequestRecorder({ log, tracer: NO_TRACER, requests, nowMs: () => 12.4 });
  const server = createServer((req, res) => {
    recorder.follow(req, res, { requestId: 'req_1', startedAtMs: 0 }, () => ({ route: '/v1/x', refusedBy }));
    if (isCut) {
      res.destroy();
      return;
    }
    if (refusedBy !== undefined) noteErrorCode(res, 'insufficient_funds');
    res.writeHead(refusedBy === undefined ? 200 : 402).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => {
    const asked = ask({ port, host: '127.0.0.1', path: '/v1/x?q=secret', agent: false }, (res) => {
      res.resume().on('end', resolve);
    });
    asked.on('error', () => {
      resolve();
    });
    asked.end();
  });
  await new Promise((resolve) => server.close(resolve));
  return { lines, metrics: await metrics.text() };
}

const count = 'farebox_http_request_duration_seconds_count';

describe('the end of a request is recorded once', () => {
  it('with its route and duration, and not with its path', async () => {
    const { lines, metrics } = await recorded(undefined);
    expect(lines).toEqual([
      expect.objectContaining({
        event: 'request_completed',
        request_id: 'req_1',
        method: 'GET',
        route: '/v1/x',
        status: 200,
        duration_ms: 12,
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
    expect(metrics).toContain(`${count}{method="GET",route="/v1/x",code="ok"} 1\n`);
    expect(metrics).toContain('farebox_http_requests_running 0\n');
  });

  it("with the failed precondition, and the client's error", async () => {
    const { lines, metrics } = await recorded('balance');
    expect(lines).toEqual([
      expect.objectContaining({ status: 402, code: 'insufficient_funds', refused_by: 'balance' }),
    ]);
    expect(metrics).toContain(`${count}{method="GET",route="/v1/x",code="insufficient_funds"} 1\n`);
  });

  it('even if the client does not get its response', async () => {
    const { lines, metrics } = await recorded(undefined, true);
    expect(lines).toEqual([expect.objectContaining({ event: 'request_cut', code: 'client_gone' })]);
    expect(metrics).toContain(`${count}{method="GET",route="/v1/x",code="client_gone"} 1\n`);
  });
});

it('counts requests by method, route and outcome, and the running ones', async () => {
  const metrics = createMetrics({ measuresNode: false });
  const meter = createRequestMeter(metrics);
  for (let i = 0; i < 4; i++) meter.begun();
  meter.ended('GET', '/v1/models', 'ok', 20);
  meter.ended('GET', '/v1/models', 'ok', 30);
  meter.ended('BREW', 'other', 'invalid_request_error', 1);

  const text = await metrics.text();
  const count = 'farebox_http_request_duration_seconds_count';
  expect(text).toContain(`${count}{method="GET",route="/v1/models",code="ok"} 2\n`);
  expect(text).toContain(`${count}{method="other",route="other",code="invalid_request_error"} 1\n`);
  expect(text).toContain('_sum{method="GET",route="/v1/models",code="ok"} 0.05\n');
  expect(text).toContain('farebox_http_requests_running 1\n');
});
