import type { NanoUsd } from '@farebox/money';
import { collectDefaultMetrics, Registry } from 'prom-client';
import {
  type Counter,
  COUNTERS,
  createFamily,
  type Gauge,
  GAUGES,
  type Histogram,
  HISTOGRAMS,
  type MetricFamily,
} from './instruments';
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  type MetricDefinition,
  METRICS,
} from './metric-table';

/**
 * The metrics of one process. Code that measures often keeps its instrument: getting one costs a look-up,
 * using it almost nothing. prom-client looks labels up at each use, so it measures only Node itself.
 */
export interface Metrics {
  counter<Name extends CounterName>(name: Name, ...labels: LabelsOf<Name>): Counter;
  gauge<Name extends GaugeName>(name: Name, ...labels: LabelsOf<Name>): Gauge;
  histogram<Name extends HistogramName>(name: Name, ...labels: LabelsOf<Name>): Histogram;
  /** Stops exporting these gauges because their values are no longer known. */
  hide(names: readonly GaugeName[]): void;
  /**
   * Runs before each scrape, for values that are read only then. If it throws, the values stay as they were.
   */
  beforeScrape(read: () => void | Promise<void>): void;
  /** All metrics in the format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * `measuresNode`: also exports `process_*`, `nodejs_*` and the delay of the event loop, which starts watching
 * the loop and the collector.
 */
export function createMetrics({ measuresNode }: { measuresNode: boolean }): Metrics {
  const node = new Registry();
  if (measuresNode) collectDefaultMetrics({ register: node });
  const counters = new Map<CounterName, MetricFamily<Counter>>();
  const gauges = new Map<GaugeName, MetricFamily<Gauge>>();
  const histograms = new Map<HistogramName, MetricFamily<Histogram>>();
  const readers: (() => void | Promise<void>)[] = [];
  const dropped = familyOf(counters, 'farebox_metric_series_dropped_total', COUNTERS).at([], () => undefined);
  const onRefused = (): void => {
    dropped.add();
  };

  const metrics: Metrics = {
    counter: (name, ...labels) => familyOf(counters, name, COUNTERS).at(labels, onRefused),
    gauge: (name, ...labels) => familyOf(gauges, name, GAUGES).at(labels, onRefused),
    histogram: (name, ...labels) => familyOf(histograms, name, HISTOGRAMS).at(labels, onRefused),
    hide(names) {
      for (const gauge of names.flatMap((name) => gauges.get(name)?.all() ?? [])) gauge.set(undefined);
    },
    beforeScrape(read) {
      readers.push(read);
    },
    async text() {
      await Promise.allSettled(readers.map(async (read) => read()));
      const own = [...counters.values(), ...gauges.values(), ...histograms.values()];
      return `${own.map((family) => family.text()).join('')}${measuresNode ? await node.metrics() : ''}`;
    },
    contentType: node.contentType,
  };
  if (measuresNode) {
    const delays = metrics.histogram('farebox_event_loop_delay_seconds');
    const longest = metrics.gauge('farebox_event_loop_delay_max_seconds');
    metrics.beforeScrape(watchEventLoop({ delays, longest }).read);
  }
  return metrics;
}

function familyOf<Name extends keyof typeof METRICS, Instrument>(
  families: Map<Name, MetricFamily<Instrument>>,
  name: Name,
  kind: Parameters<typeof createFamily<Instrument>>[2],
): MetricFamily<Instrument> {
  let family = families.get(name);
  if (!family) {
    const definition: MetricDefinition = METRICS[name];
    family = createFamily(name, definition, kind);
    families.set(name, family);
  }
  return family;
}

/** Timer interval. The next timer sees a longer block, once. */
const EVERY_MS = 20;

interface EventLoopInstruments {
  delays: Histogram;
  /** The longest delay since the last read. */
  longest: Gauge;
}

/**
 * Starts watching the delay of the event loop. Not `monitorEventLoopDelay`: its histogram does not have the
 * bounds by which several processes are added up. Does not keep the process alive. Call `read` before each
 * scrape.
 */
function watchEventLoop({ delays, longest }: EventLoopInstruments): { read: () => void } {
  let expectedMs = performance.now() + EVERY_MS;
  let longestMs = 0;
  setInterval(() => {
    const nowMs = performance.now();
    // Timers have whole milliseconds, so one may fire early by less than one.
    const delayMs = Math.max(0, nowMs - expectedMs);
    delays.observe(delayMs / 1_000);
    longestMs = Math.max(longestMs, delayMs);
    expectedMs = nowMs + EVERY_MS;
  }, EVERY_MS).unref();
  return {
    read() {
      longest.set(longestMs / 1_000);
      longestMs = 0;
    },
  };
}

const NANO_IN_A_DOLLAR = 1e9;

/**
 * Converts an amount to a float for graphs and alerts, never for anything that somebody pays. No other code
 * may turn money into a float.
 */
export function toMetricDollars(amount: NanoUsd): number {
  return Number(amount) / NANO_IN_A_DOLLAR;
}
