import { toNanoUsd } from '@farebox/money';
import { MOST_SERIES } from './instruments';
import { LABELS } from './metric-labels';
import { type MetricDefinition, METRICS, TO_SECONDS } from './metric-table';
import { createMetrics, toMetricDollars } from './metrics';

const quiet = () => createMetrics({ measuresNode: false });

/** The sample lines of one metric, without HELP and TYPE. */
async function linesOf(metrics: ReturnType<typeof quiet>, name: string): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(name));
}

describe('metrics', () => {
  it('are shown in the format of Prometheus', async () => {
    const metrics = quiet();
    metrics.counter('farebox_tokens_total', 'small', 'prompt').add(12);
    metrics.gauge('farebox_ready').set(true);
    const text = await metrics.text();
    expect(text).toContain(
      '# HELP farebox_tokens_total Tokens charged.\n# TYPE farebox_tokens_total counter\n',
    );
    expect(text).toContain('farebox_tokens_total{model="small",direction="prompt"} 12\n');
    expect(text).toContain('# TYPE farebox_ready gauge\nfarebox_ready 1\n');
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('with one name and the same labels are one instrument', async () => {
    const metrics = quiet();
    metrics.counter('farebox_tokens_total', 'small', 'prompt').add(1);
    metrics.counter('farebox_tokens_total', 'small', 'prompt').add(2);
    metrics.counter('farebox_tokens_total', 'small', 'completion').add(4);
    expect(await linesOf(metrics, 'farebox_tokens_total')).toEqual([
      'farebox_tokens_total{model="small",direction="prompt"} 3',
      'farebox_tokens_total{model="small",direction="completion"} 4',
    ]);
  });

  it('of time are shown in cumulative buckets', async () => {
    const metrics = quiet();
    const histogram = metrics.histogram('farebox_ledger_batch_items');
    for (const size of [1, 2, 3, 2_000]) histogram.observe(size);
    const lines = await linesOf(metrics, 'farebox_ledger_batch_items');
    expect(lines).toEqual(
      expect.arrayContaining([
        'farebox_ledger_batch_items_bucket{le="1"} 1',
        'farebox_ledger_batch_items_bucket{le="2"} 2',
        'farebox_ledger_batch_items_bucket{le="4"} 3',
        'farebox_ledger_batch_items_bucket{le="1024"} 3',
        'farebox_ledger_batch_items_bucket{le="+Inf"} 4',
        'farebox_ledger_batch_items_sum 2006',
        'farebox_ledger_batch_items_count 4',
      ]),
    );
  });

  it('escape characters that would end a label', async () => {
    const metrics = quiet();
    metrics.gauge('farebox_reviews_open', 'a"b\\c\nd').set(1);
    expect(await linesOf(metrics, 'farebox_reviews_open')).toEqual([
      'farebox_reviews_open{reason="a\\"b\\\\c\\nd"} 1',
    ]);
  });

  it('are not shown while unknown or hidden', async () => {
    const metrics = quiet();
    metrics.gauge('farebox_books_differences');
    expect(await metrics.text()).not.toContain('farebox_books_differences');
    metrics.gauge('farebox_reviews_open', 'charge_failed').set(2);
    expect(await linesOf(metrics, 'farebox_reviews_open')).toHaveLength(1);
    metrics.hide(['farebox_reviews_open', 'farebox_books_differences']);
    expect(await metrics.text()).not.toContain('farebox_reviews_open');
  });

  it('are read before each scrape, and a failing reader does not affect the others', async () => {
    const metrics = quiet();
    let scrapes = 0;
    metrics.beforeScrape(() => {
      metrics.gauge('farebox_holds_open').set(++scrapes);
    });
    metrics.beforeScrape(() => {
      throw new Error('not now');
    });
    metrics.beforeScrape(() => Promise.reject(new Error('not now')));
    await metrics.text();
    expect(await linesOf(metrics, 'farebox_holds_open')).toEqual(['farebox_holds_open 2']);
  });

  it('ignore values that are no measurement', () => {
    const metrics = quiet();
    const counter = metrics.counter('farebox_tokens_total', 'small', 'prompt');
    for (const amount of [-1, Number.NaN, Infinity, 0]) counter.add(amount);
    expect(counter.total).toBe(0);
    const histogram = metrics.histogram('farebox_first_token_seconds', 'small');
    for (const value of [Number.NaN, Infinity, -5]) histogram.observe(value);
    expect(histogram.sum).toBe(0);
    expect(histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it('refuse new series of an unbounded label and count the refusals', async () => {
    const metrics = quiet();
    for (let i = 0; i < MOST_SERIES + 10; i++)
      metrics.counter('farebox_charged_dollars_total', `model-${String(i)}`).add();
    expect(await linesOf(metrics, 'farebox_charged_dollars_total')).toHaveLength(MOST_SERIES);
    expect(await linesOf(metrics, 'farebox_metric_series_dropped_total')).toEqual([
      'farebox_metric_series_dropped_total 10',
    ]);
  });

  it('include the delay of the event loop, with the same bounds in every process, and its maximum since the last scrape', async () => {
    const metrics = createMetrics({ measuresNode: true });
    const standStill = performance.now() + 150;
    while (performance.now() < standStill) continue;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [longest = ''] = await linesOf(metrics, 'farebox_event_loop_delay_max_seconds');
    expect(Number(longest.split(' ')[1])).toBeGreaterThan(0.1);
    const ofDelays = await linesOf(metrics, 'farebox_event_loop_delay_seconds_bucket');
    expect(ofDelays).toHaveLength(TO_SECONDS.length + 1);
    const below = ofDelays.find((line) => line.includes('le="0.1"')) ?? '';
    const all = ofDelays.find((line) => line.includes('le="+Inf"')) ?? '';
    expect(Number(all.split(' ')[1])).toBeGreaterThan(Number(below.split(' ')[1]));
  });

  it('include those of Node.js on request', async () => {
    const text = await createMetrics({ measuresNode: true }).text();
    for (const name of [
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_seconds',
      'nodejs_gc_duration_seconds',
    ])
      expect(text).toContain(`# TYPE ${name} `);
    expect(await quiet().text()).not.toContain('nodejs_');
  });
});

const metrics = Object.entries<MetricDefinition>(METRICS);

describe.each(metrics)('%s', (name, { type, help, labels, buckets, writers }) => {
  it('follows the naming rules of Prometheus', () => {
    expect(name).toMatch(/^farebox_[a-z]+(?:_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    // Base units: no milliseconds, no nano-dollars.
    expect(name).not.toMatch(/_(?:ms|milliseconds|nano|minutes|kb)(?:_|$)/);
  });

  it('has a help text of one sentence', () => {
    expect(help).toMatch(/^[A-Z0-9].*\.$/s);
    expect(writers.length).toBeGreaterThan(0);
  });

  it('has known labels, and none that Prometheus reserves', () => {
    for (const label of labels) expect(Object.keys(LABELS)).toContain(label);
    expect(new Set(labels).size).toBe(labels.length);
    for (const label of ['le', 'job', 'instance']) expect(labels).not.toContain(label);
  });

  it('has ascending buckets if it is a histogram, and otherwise none', () => {
    expect(buckets === undefined).toBe(type !== 'histogram');
    const bounds = [...(buckets ?? [])];
    expect(bounds).toEqual([...new Set(bounds)].sort((a, b) => a - b));
  });

  it('says that the ledger is the truth if it counts money', () => {
    if (name.includes('dollars')) expect(help).toContain('the ledger is the truth');
  });
});

it.each([
  [0n, 0],
  [1n, 1e-9],
  [1_500_000_000n, 1.5],
  [-2_000_000_000n, -2],
])('%s nano-dollars are %s dollars in a graph', (nano, dollars) => {
  expect(toMetricDollars(toNanoUsd(nano))).toBe(dollars);
});
