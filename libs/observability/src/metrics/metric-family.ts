import type { MetricDefinition } from './definition';
import { counterSamples, gaugeSamples, histogramSamples, toExposition, type Labels } from './exposition';
import { Counter, Gauge, Histogram } from './instruments';

/** So many time series of one metric at most: the memory of a label that turns out not to be closed has an end. */
export const MOST_SERIES = 2_000;

/** Every time series of one metric. */
export interface MetricFamily<Instrument> {
  /** The instrument of these label values, always the same. `onRefused` is told where there are too many. */
  at(values: readonly string[], onRefused: () => void): Instrument;
  /** Those that are there. */
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
