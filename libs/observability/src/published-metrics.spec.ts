import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isBalanced, metricRows, namesOf, tableUnder } from '../test/published-metrics';
import { LABELS } from './metric-labels';
import { type MetricDefinition, METRICS } from './metric-table';
import { createMetrics } from './metrics';

const read = (path: string): string => readFileSync(join(__dirname, '../../..', path), 'utf8');

interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook: string };
}
interface AlertTest {
  name: string;
  input_series: { series: string }[];
  promql_expr_test: { expr: string; exp_samples: unknown[] }[];
}
interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; datasource: { uid: string } }[];
}

const { groups } = parse(read('docker/prometheus/alerts.yml')) as {
  groups: { name: string; rules: Alert[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read('docker/grafana/farebox.json')) as { panels: Panel[] };
const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
const queries = [...alerts.map(({ alert, expr }) => [alert, expr] as const), ...shown];
const manual = read('docs/operate/observability.md');
/** The name and the text of each runbook. */
const runbooks = read('docs/operate/alerts.md')
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [name = '', ...lines] = section.replace(/^## .*$/m, '').split('\n');
    return [name, lines.join('\n')] as const;
  });
const ofRunbooks = runbooks.flatMap(([name, text]) =>
  [...text.matchAll(/```promql\n([\s\S]*?)\n```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => [name, line] as const),
);

/** Labels that Prometheus sets on every target. */
const OF_TARGETS = ['job', 'instance', 'le'];
const ROLES = ['gateway', 'account', 'worker', 'operator'];
let ofNode: string;
beforeAll(async () => {
  ofNode = await createMetrics({ measuresNode: true }).text();
});

/** The definition of a series; a histogram has three series. */
function definitionOf(series: string): MetricDefinition | undefined {
  const all = new Map<string, MetricDefinition>(Object.entries(METRICS));
  const histogram = all.get(series.replace(/_(?:bucket|sum|count)$/, ''));
  return all.get(series) ?? (histogram?.type === 'histogram' ? histogram : undefined);
}

describe.each([...queries, ...ofRunbooks])('the query of "%s": %s', (_what, query) => {
  it('is balanced and not empty', () => {
    expect(isBalanced(query)).toBe(true);
    expect(namesOf(query).metrics.length).toBeGreaterThan(0);
  });

  it('names existing metrics', () => {
    for (const name of namesOf(query).metrics.filter((one) => one !== 'up')) {
      const stems = [name, name.replace(/_(?:bucket|sum|count)$/, '')];
      const isThere =
        definitionOf(name) !== undefined || stems.some((stem) => ofNode.includes(`# TYPE ${stem} `));
      expect([name, isThere]).toEqual([name, true]);
    }
  });

  it('reads a histogram by its buckets, sum or count, and counters by their growth', () => {
    for (const name of namesOf(query).metrics) {
      const definition = definitionOf(name);
      if (definition?.type === 'histogram') expect(name).toMatch(/_(?:bucket|sum|count)$/);
      if (definition?.type === 'counter' || definition?.type === 'histogram')
        expect(query).toMatch(new RegExp(`(?:rate|increase)\\(${name}[{[]`));
    }
  });

  it('names labels and values that those metrics have', () => {
    const { metrics, matchers, grouping } = namesOf(query);
    for (const [name, label, values] of matchers) {
      const labels: readonly string[] = definitionOf(name)?.labels ?? [];
      expect([name, [...labels, ...OF_TARGETS]]).toEqual([name, expect.arrayContaining([label]) as string[]]);
      const known: unknown = Object.entries(LABELS).find(([one]) => one === label)?.[1];
      if (Array.isArray(known)) expect(known).toEqual(expect.arrayContaining(values.split('|')) as string[]);
    }
    for (const label of grouping)
      expect([...metrics.flatMap((name) => definitionOf(name)?.labels ?? []), ...OF_TARGETS]).toContain(
        label,
      );
  });
});

describe('alerts', () => {
  it('have unique names, a severity and instructions', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, labels, annotations, for: wait = '0m' } of alerts) {
      expect(alert).toMatch(/^Farebox[A-Z][A-Za-z]+$/);
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(wait).toMatch(/^\d+[mh]$/);
      expect(annotations.summary.length + annotations.description.length).toBeGreaterThan(30);
      expect(annotations.runbook).toBe(`docs/operate/alerts.md#${alert.toLowerCase()}`);
    }
  });

  it('name only labels that their query keeps', () => {
    for (const { expr, annotations } of alerts) {
      const { grouping } = namesOf(expr);
      for (const [, label] of annotations.description.matchAll(/\$labels\.(\w+)/g))
        if (/\bby\s*\(/.test(expr)) expect(grouping).toContain(label);
    }
  });

  it('each have a test for promtool, on series that exist, that sees it silent and then firing', () => {
    const { tests } = parse(read('docker/prometheus/alerts.test.yml')) as { tests: AlertTest[] };
    expect(tests.map(({ name }) => name).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    for (const { name, input_series, promql_expr_test } of tests) {
      for (const { expr } of promql_expr_test) expect(expr).toContain(`alertname="${name}"`);
      expect([name, promql_expr_test.map(({ exp_samples }) => exp_samples.length)]).toEqual([name, [0, 1]]);
      for (const { series } of input_series) {
        const { metrics, matchers } = namesOf(series);
        for (const metric of metrics.filter((one) => one !== 'up')) {
          const labels: readonly string[] = definitionOf(metric)?.labels ?? ['no such metric'];
          for (const [, label] of matchers)
            expect([series, [...labels, ...OF_TARGETS]]).toEqual([
              series,
              expect.arrayContaining([label]) as string[],
            ]);
        }
      }
    }
  });

  it('each have a runbook, and each runbook an alert', () => {
    expect(runbooks.map(([name]) => name).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  it.each(runbooks)(
    '%s has a runbook with severity, customers, a first look, what to do and its end',
    (name, text) => {
      const { severity = '' } = alerts.find(({ alert }) => alert === name)?.labels ?? {};
      const parts = [...text.matchAll(/^(?:\*\*(\w+)|(```)(?:sh|promql)$)/gm)].map(
        ([, part, block]) => part ?? block,
      );
      const [first, ...others] = parts.filter((part, i) => part !== parts[i - 1]);
      expect(first?.toLowerCase()).toBe(severity);
      expect(others).toEqual(['Customers', '```', 'Do', 'Over']);
    },
  );
});

describe('the dashboard', () => {
  it('has no overlapping panels', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const [i, { gridPos: a }] of panels.entries())
      for (const { gridPos: b } of panels.slice(i + 1))
        expect(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y).toBe(true);
  });

  it('uses the data source that the viewer selects', () => {
    const sources = panels.flatMap(({ targets = [] }) => targets.map(({ datasource }) => datasource.uid));
    expect(new Set(sources)).toEqual(new Set(['${datasource}']));
  });

  it('shows every metric that no alert uses', () => {
    const asked = queries.flatMap(([, query]) => namesOf(query).metrics);
    const missing = Object.keys(METRICS).filter(
      (name) => !asked.some((one) => definitionOf(one) === definitionOf(name)),
    );
    expect(missing).toEqual([]);
  });
});

it('Prometheus is configured to scrape each kind of process', () => {
  const { scrape_configs: jobs, rule_files } = parse(read('docker/prometheus/prometheus.yml')) as {
    scrape_configs: { job_name: string }[];
    rule_files: string[];
  };
  expect(jobs.map(({ job_name }) => job_name)).toEqual(ROLES.map((role) => `farebox-${role}`));
  expect(rule_files).toEqual(['alerts.yml']);
});

it('the manual lists the metrics as defined', () => {
  expect(tableUnder(manual, '## The metrics')).toEqual(metricRows());
});
