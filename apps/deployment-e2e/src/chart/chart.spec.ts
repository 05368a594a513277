import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPS, schemasOf, VARIABLE_GROUPS } from '@farebox/config';
import { workspaceRoot } from '@farebox/local-services';
import { METRICS } from '@farebox/observability';
import { parse } from 'yaml';
import { schemaErrors, typeErrors } from './chart-tools';
import { type Manifest } from './manifest';
import { EVERYTHING, LEAST, lintChart, renderChart, type Values } from './render-chart';

const read = (file: string): string => readFileSync(join(workspaceRoot(), file), 'utf8');
const RENDERINGS: readonly (readonly [string, Values])[] = [
  ['as it comes', LEAST],
  ['with everything turned on', EVERYTHING],
];
const kindsOf = (manifests: readonly Manifest[]) => [...new Set(manifests.map(({ kind }) => kind))].sort();

it.each(RENDERINGS)("Helm's linter finds nothing in the chart %s", (_how, values) => {
  const { status, said } = lintChart(values);
  expect(said).not.toMatch(/\[(?:WARNING|ERROR)\]/);
  expect(status).toBe(0);
});

it.each(RENDERINGS)('the manifests of the chart %s conform to the schemas of Kubernetes', (_how, values) => {
  expect(schemaErrors(renderChart(values))).toEqual([]);
});

it.each(RENDERINGS)(
  'the manifests of the chart %s have no field that Kubernetes does not know',
  (_how, values) => {
    expect(typeErrors(renderChart(values))).toBe('');
  },
);

it('a manifest with a wrong value or an unknown field is found', () => {
  const [manifest] = renderChart(LEAST).filter(({ kind }) => kind === 'NetworkPolicy');
  if (manifest === undefined) throw new Error('there is no policy');
  const wrong = { ...manifest, spec: { podSelector: {}, policyTypes: 'Ingress' } };
  const unknown = { ...manifest, spec: { podSelector: {}, ingres: [] } };

  expect(schemaErrors([wrong])).toEqual([expect.stringContaining('policyTypes')]);
  expect(typeErrors([unknown])).toContain(`'"ingres"' does not exist`);
});

it('the chart makes what runs, what limits it and what protects it, and the rest only on request', () => {
  const least = ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'];
  expect(kindsOf(renderChart(LEAST))).toEqual(least);
  const more = ['HTTPRoute', 'HorizontalPodAutoscaler', 'Ingress', 'PrometheusRule', 'ServiceMonitor'];
  expect(kindsOf(renderChart(EVERYTHING))).toEqual([...least, ...more].sort());
});

it('the chart is refused without the URL of the service', () => {
  expect(() => renderChart({})).toThrow(/FAREBOX_PUBLIC_URL is required/);
});

it.each<[string, { config?: Values; [part: string]: unknown }, RegExp]>([
  ['a URL without TLS', { config: { FAREBOX_PUBLIC_URL: 'http://farebox.example' } }, /pattern/],
  ['a secret in plain sight', { config: { REDIS_URL: 'redis://redis' } }, /config\.REDIS_URL: .*`secrets`/],
  ['a variable that nothing reads', { config: { FAREBOX_LOG_LEVLE: 'info' } }, /config\.FAREBOX_LOG_LEVLE/],
  [
    'a variable for a part that reads no such',
    { worker: { config: { FAREBOX_LEASE: '9s' } } },
    /worker\.config\.FAREBOX_LEASE/,
  ],
  ['a drain of its own', { config: { FAREBOX_DRAIN_TIMEOUT: '5s' } }, /gateway\.longestStreamSeconds/],
  ['a number for a text', { config: { FAREBOX_LEASE: 9_000 } }, /FAREBOX_LEASE/],
  ['a setting that it does not have', { gateway: { replica: 3 } }, /replica/],
  ['a drain that the gateway refuses', { gateway: { longestStreamSeconds: 3601 } }, /longestStreamSeconds/],
  [
    'a secret of its own under the name of an upstream',
    { gateway: { upstreamSecrets: { DATABASE_URL: { name: 'other' } } } },
    /invalid propertyName 'DATABASE_URL'/,
  ],
  ['an ingress that its policies close', { ingress: { enabled: true } }, /networkPolicy\.clients is empty/],
  ['a route of no gateway', { httpRoute: { enabled: true } }, /parentRefs/],
])('the chart is refused with %s', (_what, values, said) => {
  const config = { ...LEAST.config, ...values.config };
  expect(() => renderChart({ ...values, config })).toThrow(said);
});

/** Variables that the images or the chart itself set. */
const DECIDED = [
  'FAREBOX_HOST',
  'FAREBOX_GATEWAY_PORT',
  'FAREBOX_ACCOUNT_PORT',
  'FAREBOX_OPERATOR_PORT',
  'FAREBOX_METRICS_PORT',
  'FAREBOX_METRICS_HOST',
  'FAREBOX_DRAIN_TIMEOUT',
];
/** Secrets that stand in other groups, since they are addresses with a password. */
const SECRET_ADDRESSES = ['DATABASE_URL', 'REDIS_URL', 'FAREBOX_MAIL_URL', 'FAREBOX_OIDC_CLIENT_SECRET'];

it('the chart knows of every variable who reads it, and which is a secret', () => {
  const readers = new Map<string, string[]>();
  for (const app of APPS.filter((name) => name !== 'edge'))
    for (const name of Object.keys(schemasOf(app)).filter((variable) => !DECIDED.includes(variable)))
      readers.set(name, [...(readers.get(name) ?? []), app]);
  const isSecret = (name: string) => name in VARIABLE_GROUPS.Secrets || SECRET_ADDRESSES.includes(name);
  const expected = (secret: boolean) =>
    Object.fromEntries([...readers].filter(([name]) => isSecret(name) === secret));

  expect(parse(read('docker/chart/variables.yaml'))).toEqual({
    secrets: expected(true),
    config: expected(false),
  });
});

it('the chart has the version of the checkout, whose images it takes', () => {
  const { version } = JSON.parse(read('apps/gateway/package.json')) as { version: string };
  expect(parse(read('docker/chart/Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

it('the chart has the alerts of the checkout, and the names of jobs that they ask for', () => {
  const manifests = renderChart(EVERYTHING);
  const specOf = (wanted: string) => manifests.find(({ kind }) => kind === wanted)?.['spec'];
  expect(specOf('PrometheusRule')).toEqual(parse(read('docker/prometheus/alerts.yml')));
  expect(specOf('ServiceMonitor')).toMatchObject({
    endpoints: [
      {
        port: 'metrics',
        relabelings: [
          {
            sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_component'],
            targetLabel: 'job',
            replacement: 'farebox-$1',
          },
        ],
      },
    ],
  });
  const { scrape_configs } = parse(read('docker/prometheus/prometheus.yml')) as {
    scrape_configs: { job_name: string }[];
  };
  const parts = manifests
    .filter(
      ({ kind, metadata }) =>
        kind === 'Deployment' && metadata.labels['app.kubernetes.io/name'] === 'farebox',
    )
    .map(({ metadata }) => `farebox-${metadata.labels['app.kubernetes.io/component'] ?? ''}`);
  expect(parts).toEqual(expect.arrayContaining(scrape_configs.map(({ job_name }) => job_name)));
});

it('the chart scales gateways by processor, and on request by a metric that they publish', () => {
  const metricsOf = (values: Values) =>
    renderChart(values)
      .filter(
        ({ kind, metadata }) => kind === 'HorizontalPodAutoscaler' && metadata.name === 'farebox-gateway',
      )
      .map(({ spec }) => (spec as { metrics: unknown }).metrics);
  const cpu = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
  };
  expect(metricsOf(LEAST)).toEqual([]);
  expect(metricsOf({ ...LEAST, gateway: { autoscaling: { enabled: true } } })).toEqual([[cpu]]);

  const name = 'farebox_http_requests_running';
  expect(metricsOf(EVERYTHING)).toEqual([
    [
      cpu,
      { type: 'Pods', pods: { metric: { name }, target: { type: 'AverageValue', averageValue: '400' } } },
    ],
  ]);
  expect(METRICS[name].writers).toContain('gateway');
});
