import { createMetrics } from '@farebox/observability';
import { createRequestMeter } from './request-meter';

it('counts requests by method, route and what the client was told, and those that run', async () => {
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
