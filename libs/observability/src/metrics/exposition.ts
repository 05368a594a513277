import type { Counter, Gauge, Histogram } from './instruments';

/** The labels of one time series, in the order in which they are written. */
export type Labels = readonly (readonly [name: string, value: string])[];

export interface Described {
  name: string;
  help: string;
  type: string;
}

/** One metric in the text format of Prometheus, version 0.0.4. Empty where it has nothing to show yet. */
export function toExposition({ name, help, type }: Described, samples: readonly string[]): string {
  if (samples.length === 0) return '';
  return `# HELP ${name} ${escape(help)}\n# TYPE ${name} ${type}\n${samples.join('\n')}\n`;
}

export function counterSamples(name: string, labels: Labels, counter: Counter): string[] {
  return [sample(name, labels, counter.total)];
}

export function gaugeSamples(name: string, labels: Labels, { value }: Gauge): string[] {
  return value === undefined ? [] : [sample(name, labels, value)];
}

export function histogramSamples(name: string, labels: Labels, histogram: Histogram): string[] {
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
