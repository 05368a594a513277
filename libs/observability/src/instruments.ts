import type { MetricDefinition } from './metric-table';

/** A number that only grows. */
export class Counter {
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Ignore anything but finite positive numbers: measuring must not break the code that it measures. */
  add(amount = 1): void {
    if (amount > 0 && amount < Infinity) this.#total += amount;
  }
}

/** The last value set. Not exported until then, or while it is unknown. */
export class Gauge {
  #value: number | undefined;

  get value(): number | undefined {
    return this.#value;
  }

  set(value: number | boolean | undefined): void {
    this.#value = value === undefined ? undefined : +value;
  }
}

/** The number of values within each bucket. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** One per bound, and one for values above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  get bounds(): readonly number[] {
    return this.#bounds;
  }

  /** Per bucket, not cumulative. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  get sum(): number {
    return this.#sum;
  }

  /** A clock that was set back gives a negative value, which counts as 0. */
  observe(value: number): void {
    if (!(value < Infinity)) return;
    const measured = value > 0 ? value : 0;
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && measured > (bounds[bucket] ?? Infinity)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += measured;
  }
}

/** Limit of time series per metric. It bounds memory if a label turns out to have unbounded values. */
export const MOST_SERIES = 2_000;

/** Every time series of one metric. */
export interface MetricFamily<Instrument> {
  /** The instrument of these label values, always the same one. Calls `onRefused` if there are too many. */
  at(values: readonly string[], onRefused: () => void): Instrument;
  /** All existing instruments. */
  all(): Instrument[];
  text(): string;
}

interface Kind<Instrument> {
  create(definition: MetricDefinition): Instrument;
  samples(name: string, labels: Labels, instrument: Instrument): string[];
}

export const COUNTERS: Kind<Counter> = { create: () => new Counter(), samples: counterSamples };
export const GAUGES: Kind<Gauge> = { create: () => new Gauge(), samples: gaugeSamples };
export const HISTOGRAMS: Kind<Histogram> = {
  create: ({ buckets }) => new Histogram(buckets ?? []),
  samples: histogramSamples,
};

export function createFamily<Instrument>(
  name: string,
  definition: MetricDefinition,
  kind: Kind<Instrument>,
): MetricFamily<Instrument> {
  const series = new Map<string, { labels: Labels; instrument: Instrument }>();
  let refused: Instrument | undefined;

  return {
    at(values, onRefused) {
      const key = values.join('\u0000');
      const known = series.get(key);
      if (known) return known.instrument;
      if (series.size >= MOST_SERIES) {
        onRefused();
        return (refused ??= kind.create(definition));
      }
      const labels = definition.labels.map((label, i) => [label, values[i] ?? ''] as const);
      const instrument = kind.create(definition);
      series.set(key, { labels, instrument });
      return instrument;
    },
    all: () => [...series.values()].map(({ instrument }) => instrument),
    text() {
      const samples = [...series.values()].flatMap(({ labels, instrument }) =>
        kind.samples(name, labels, instrument),
      );
      return toExposition({ name, help: definition.help, type: definition.type }, samples);
    },
  };
}

/** The labels of one time series, in output order. */
type Labels = readonly (readonly [name: string, value: string])[];

interface Described {
  name: string;
  help: string;
  type: string;
}

/** One metric in the text format of Prometheus, version 0.0.4. Empty if it has no samples yet. */
function toExposition({ name, help, type }: Described, samples: readonly string[]): string {
  if (samples.length === 0) return '';
  return `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n${samples.join('\n')}\n`;
}

function counterSamples(name: string, labels: Labels, counter: Counter): string[] {
  return [sample(name, labels, counter.total)];
}

function gaugeSamples(name: string, labels: Labels, { value }: Gauge): string[] {
  return value === undefined ? [] : [sample(name, labels, value)];
}

function histogramSamples(name: string, labels: Labels, histogram: Histogram): string[] {
  const { bounds, counts, sum } = histogram;
  let below = 0;
  const buckets = counts.map((count, i) => {
    below += count;
    return sample(`${name}_bucket`, [...labels, ['le', String(bounds[i] ?? '+Inf')]], below);
  });
  return [...buckets, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, below)];
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = labels.map(([label, text]) => `${label}="${escape(text).replaceAll('"', '\\"')}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${String(value)}`;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
