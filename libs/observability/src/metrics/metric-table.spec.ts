import type { MetricDefinition } from './definition';
import { LABELS } from './labels';
import { METRICS } from './metric-table';

const metrics = Object.entries<MetricDefinition>(METRICS);

describe.each(metrics)('%s', (name, { type, help, labels, buckets, writers }) => {
  it('is named as Prometheus names things', () => {
    expect(name).toMatch(/^farebox_[a-z]+(?:_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    // Base units: no milliseconds, no nano-dollars.
    expect(name).not.toMatch(/_(?:ms|milliseconds|nano|minutes|kb)(?:_|$)/);
  });

  it('says in a sentence what it is', () => {
    expect(help).toMatch(/^[A-Z0-9].*\.$/s);
    expect(writers.length).toBeGreaterThan(0);
  });

  it('has labels that are known, and none that Prometheus keeps for itself', () => {
    for (const label of labels) expect(Object.keys(LABELS)).toContain(label);
    expect(new Set(labels).size).toBe(labels.length);
    for (const label of ['le', 'job', 'instance']) expect(labels).not.toContain(label);
  });

  it('has growing buckets where it is a histogram, and else none', () => {
    expect(buckets === undefined).toBe(type !== 'histogram');
    const bounds = [...(buckets ?? [])];
    expect(bounds).toEqual([...new Set(bounds)].sort((a, b) => a - b));
  });

  it('says of money that the ledger is the truth', () => {
    if (name.includes('dollars')) expect(help).toContain('the ledger is the truth');
  });
});
