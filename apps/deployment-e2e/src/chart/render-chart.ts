import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { parseAllDocuments, stringify } from 'yaml';
import { chartTools } from './chart-tools';
import { type Manifest, readManifests } from './manifest';

const CHART = path.join(workspaceRoot(), 'docker/chart');

export type Values = Readonly<Record<string, unknown>>;

/** The least that an installation must say. */
export const LEAST = { config: { FAREBOX_PUBLIC_URL: 'https://farebox.example' } } satisfies Values;

const pods = (app: string) => ({ podSelector: { matchLabels: { app } } });

/** Everything that can be turned on. */
export const EVERYTHING = {
  image: {
    registry: 'registry.example/farebox/',
    tag: '9.9.9',
    digests: { gateway: `sha256:${'0'.repeat(64)}` },
    pullSecrets: [{ name: 'registry' }],
  },
  config: {
    FAREBOX_PUBLIC_URL: 'https://farebox.example:8443',
    FAREBOX_TRUSTED_PROXIES: '10.1.0.0/16',
    FAREBOX_RATE_LIMIT_REQUESTS: '100',
  },
  trustedCertificates: { configMap: 'authorities' },
  secrets: { FAREBOX_STRIPE_SECRET_KEY: { name: 'stripe' } },
  gateway: {
    longestStreamSeconds: 1800,
    config: { FAREBOX_LOG_LEVEL: 'debug' },
    upstreamSecrets: { VLLM_API_KEY: { name: 'upstreams', key: 'vllm' } },
    autoscaling: { enabled: true, requestsPerPod: 400 },
    egress: [{ to: [pods('vllm')], ports: [{ protocol: 'TCP', port: 8000 }] }],
  },
  account: {
    autoscaling: { enabled: true },
    secrets: {
      FAREBOX_STRIPE_SECRET_KEY: { name: 'stripe', key: 'account' },
      FAREBOX_STRIPE_WEBHOOK_SECRET: { name: 'stripe' },
    },
  },
  worker: {
    config: { FAREBOX_MAIL_FROM: 'farebox@farebox.example' },
    secrets: { FAREBOX_MAIL_URL: { name: 'mail' } },
  },
  operator: {
    config: { FAREBOX_OIDC_ISSUER: 'https://login.example', FAREBOX_OIDC_CLIENT_ID: 'farebox' },
    secrets: { FAREBOX_OIDC_CLIENT_SECRET: { name: 'openid' } },
  },
  admin: { enabled: true },
  ingress: { enabled: true, className: 'public', annotations: { a: 'b' }, tlsSecretName: 'farebox-tls' },
  httpRoute: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }] },
  networkPolicy: {
    clients: [pods('proxy')],
    operators: [pods('vpn')],
    monitoring: [pods('prometheus')],
    postgres: { to: [pods('postgres')] },
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'farebox', operator: 'Exists' }],
  podAnnotations: { note: 'text' },
} satisfies Values;

/** The manifests that `helm template` makes of the chart. Throws its message if it refuses the values. */
export function renderChart(values: Values, release = 'farebox'): Manifest[] {
  const { status, stdout, stderr } = helm(['template', release, CHART, '--namespace', 'farebox'], values);
  if (status !== 0) throw new Error(stderr);
  const documents = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
  return readManifests(documents.filter((document) => document !== null));
}

/** The outcome of `helm lint --strict`. */
export function lintChart(values: Values): { status: number | null; said: string } {
  const { status, stdout, stderr } = helm(['lint', '--strict', CHART], values);
  return { status, said: stdout + stderr };
}

function helm(args: readonly string[], values: Values) {
  return spawnSync(path.join(chartTools(), 'helm'), [...args, '--values', '-'], {
    encoding: 'utf8',
    input: stringify(values),
  });
}
