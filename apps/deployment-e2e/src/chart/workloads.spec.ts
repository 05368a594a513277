import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, requiredVariables, schemasOf } from '@farebox/config';
import { workspaceRoot } from '@farebox/local-services';
import { environmentOf, lineageOf, readDockerfile } from '../images/dockerfile';
import { stopSeconds } from '../stop-seconds';
import { workloadsOf, type Workload } from './manifest';
import { EVERYTHING, LEAST, renderChart, type Values } from './render-chart';

const SERVICES = ['gateway', 'account', 'worker', 'operator'] as const;
const PARTS: readonly App[] = [...SERVICES, 'migration', 'admin'];
const SECRETS = /PASSWORD|SECRET|PEPPERS|_KEYS?$|TOKEN|(?:DATABASE|REDIS|MAIL)_URL$/;
/** Variables that the catalogue and Node read. */
const OF_OTHERS = new Set(['VLLM_API_KEY', 'NODE_EXTRA_CA_CERTS']);
const read = (file: string): string => readFileSync(join(workspaceRoot(), file), 'utf8');
const stages = readDockerfile();

let workloads: Map<string, Workload>;
beforeAll(() => {
  workloads = workloadsOf(renderChart(EVERYTHING));
});

function workload(part: string): Workload {
  const found = workloads.get(part);
  if (found === undefined) throw new Error(`there is no workload ${part}`);
  return found;
}
const milliseconds = (app: App, variable: string, text?: string): number =>
  Number(schemasOf(app)[variable]?.parse(text));

it('the chart runs every part of Farebox, and the command of the operator only on request', () => {
  expect([...workloads.keys()].sort()).toEqual([...PARTS].sort());
  expect([...workloadsOf(renderChart(LEAST)).keys()].sort()).toEqual(
    PARTS.filter((part) => part !== 'admin').sort(),
  );
});

it('the chart takes the images that the Dockerfile makes, by version or by digest', () => {
  for (const [part, { container }] of workloadsOf(renderChart(LEAST))) {
    expect([part, stages.has(part)]).toEqual([part, true]);
    expect(container.image).toBe(`farebox-${part}:0.1.0`);
  }
  const registry = 'registry.example/farebox';
  expect(workload('gateway').container.image).toBe(`${registry}/farebox-gateway@sha256:${'0'.repeat(64)}`);
  expect(workload('account').container.image).toBe(`${registry}/farebox-account:9.9.9`);
});

describe.each<[string, Values]>([
  ['as it comes', LEAST],
  ['with everything turned on', EVERYTHING],
])('the chart %s', (_how, values) => {
  it('gives each part every variable that it needs, valid ones, and none that it does not read', () => {
    for (const [part, { container }] of workloadsOf(renderChart(values))) {
      const app = part as App;
      const given = container.env.filter(({ name }) => !OF_OTHERS.has(name));
      expect([part, given.map(({ name }) => name)]).toEqual([
        part,
        expect.arrayContaining(requiredVariables(app)),
      ]);
      for (const { name, value, valueFrom } of given) {
        const isValid =
          valueFrom === undefined ? schemasOf(app)[name]?.safeParse(value).success : name in schemasOf(app);
        expect([part, name, isValid]).toEqual([part, name, true]);
      }
      expect(new Set(container.env.map(({ name }) => name)).size).toBe(container.env.length);
    }
  });

  it('has no secret in it: every one is in a Secret that it only names', () => {
    const manifests = renderChart(values);
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const [part, { container }] of workloadsOf(manifests))
      for (const { name, value } of container.env.filter((variable) => variable.value !== undefined))
        expect([part, name, value]).toEqual([
          part,
          expect.not.stringMatching(SECRETS),
          expect.not.stringMatching(/:.*@/),
        ]);
  });

  it('lets no container write, become root, call Kubernetes or take a Service for a setting', () => {
    const user = Number(/^USER (\d+)/m.exec(read('docker/Dockerfile'))?.[1]);
    for (const [part, { pod, container }] of workloadsOf(renderChart(values))) {
      const { automountServiceAccountToken, enableServiceLinks, securityContext } = pod.spec;
      expect([part, automountServiceAccountToken, enableServiceLinks]).toEqual([part, false, false]);
      expect([part, securityContext]).toEqual([
        part,
        { runAsNonRoot: true, runAsUser: user, runAsGroup: user, seccompProfile: { type: 'RuntimeDefault' } },
      ]);
      expect([part, container.securityContext]).toEqual([
        part,
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      ]);
    }
  });

  it('says of every container what it asks for, and how much memory it may have', () => {
    for (const [part, { container }] of workloadsOf(renderChart(values)))
      expect([part, container.resources]).toEqual([
        part,
        {
          requests: { cpu: expect.any(String) as string, memory: expect.any(String) as string },
          limits: { memory: expect.any(String) as string },
        },
      ]);
  });
});

it('the chart lets every part trust authorities of the operator, and mounts nothing otherwise', () => {
  for (const [part, { pod, container }] of workloads) {
    const [mount] = container.volumeMounts;
    expect([part, pod.spec.volumes]).toEqual([
      part,
      [{ name: mount?.name, configMap: { name: 'authorities' } }],
    ]);
    expect([part, container.env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value]).toEqual([
      part,
      `${String(mount?.mountPath)}/ca.pem`,
    ]);
  }
  for (const { pod, container } of workloadsOf(renderChart(LEAST)).values())
    expect([...pod.spec.volumes, ...container.volumeMounts]).toEqual([]);
});

it.each(SERVICES)(
  'the chart asks the %s at the port where it answers whether it starts, lives and is ready',
  (app) => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = workload(app).container;
    const port = ports.find(({ name }) => name === readinessProbe?.httpGet.port)?.containerPort;
    const image = environmentOf(lineageOf(stages, app));
    const variable = app === 'worker' ? 'FAREBOX_METRICS_PORT' : `FAREBOX_${app.toUpperCase()}_PORT`;
    expect(port).toBe(Number(image[variable]));
    expect(ports.find(({ name }) => name === 'metrics')?.containerPort).toBe(
      Number(image['FAREBOX_METRICS_PORT']),
    );

    const name = readinessProbe?.httpGet.port;
    expect(readinessProbe?.httpGet).toEqual({ path: '/readyz', port: name });
    for (const probe of [startupProbe, livenessProbe]) {
      expect(probe?.httpGet).toEqual({ path: '/healthz', port: name });
      // Else a frozen gateway would be waited for as long as its longest stream.
      expect(probe?.terminationGracePeriodSeconds).toBeLessThanOrEqual(10);
    }
    const startSeconds = (startupProbe?.periodSeconds ?? 0) * (startupProbe?.failureThreshold ?? 0);
    expect(startSeconds * 1_000).toBeGreaterThan(milliseconds(app, 'FAREBOX_DATABASE_START_TIMEOUT'));
  },
);

/** Seconds in which a pod still serves although it is on its way out. */
const leaveSeconds = ({ container }: Workload): number => {
  const [program, seconds] = container.lifecycle?.preStop.exec.command ?? [];
  expect(program).toBe('sleep');
  return Number(seconds);
};

it.each(SERVICES)('the chart waits longer for a stop of the %s than the process itself does', (app) => {
  const part = workload(app);
  const drain = part.container.env.find(({ name }) => name === 'FAREBOX_DRAIN_TIMEOUT')?.value;
  expect(drain !== undefined).toBe(app === 'gateway');
  const drainSeconds =
    drain === undefined ? 0 : milliseconds('gateway', 'FAREBOX_DRAIN_TIMEOUT', drain) / 1_000;
  expect(drainSeconds).toBe(app === 'gateway' ? EVERYTHING.gateway.longestStreamSeconds : 0);

  const grace = part.pod.spec.terminationGracePeriodSeconds;
  expect(grace).toBeGreaterThan(leaveSeconds(part) + drainSeconds + stopSeconds(app));
});

it('the chart lets streams end that are as long as a catalogue allows unless it says otherwise', () => {
  const longestMs = /`total_timeout_ms` +\| ([\d,]+) \|/.exec(read('docs/operate/catalog.md'))?.[1];
  const gateway = workloadsOf(renderChart(LEAST)).get('gateway');
  const drain = gateway?.container.env.find(({ name }) => name === 'FAREBOX_DRAIN_TIMEOUT')?.value;
  expect(milliseconds('gateway', 'FAREBOX_DRAIN_TIMEOUT', drain)).toBe(
    Number(longestMs?.replaceAll(',', '')),
  );
});

it("the chart migrates before it installs or upgrades, with the owner's login, which no service has", () => {
  const { metadata, container } = workload('migration');
  expect(metadata.annotations).toEqual({
    'helm.sh/hook': 'pre-install,pre-upgrade',
    'helm.sh/hook-weight': '0',
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
  });
  const secretOf = (part: string, variable: string) =>
    workload(part).container.env.find(({ name }) => name === variable)?.valueFrom?.secretKeyRef;
  const owner = secretOf('migration', 'DATABASE_URL');
  expect(owner?.name).toBe('farebox-owner');
  for (const app of SERVICES) {
    expect(workload(app).container.env.map(({ valueFrom }) => valueFrom?.secretKeyRef.name)).not.toContain(
      owner?.name,
    );
    // The login that the migration makes is the one that the service uses.
    const login = `FAREBOX_${app.toUpperCase()}_DATABASE_URL`;
    expect(secretOf('migration', login)).toEqual(secretOf(app, 'DATABASE_URL'));
  }
  const own = container.env.filter(({ name, valueFrom }) => valueFrom === undefined && !OF_OTHERS.has(name));
  expect(own).toEqual([]);
});

it('what is said for one part comes before what is said for all, and reaches no other', () => {
  const valueOf = (part: string, variable: string) =>
    workload(part).container.env.find(({ name }) => name === variable);
  expect(valueOf('gateway', 'FAREBOX_LOG_LEVEL')?.value).toBe('debug');
  expect(valueOf('account', 'FAREBOX_LOG_LEVEL')).toBeUndefined();
  expect(valueOf('account', 'FAREBOX_STRIPE_SECRET_KEY')?.valueFrom?.secretKeyRef).toEqual({
    name: 'stripe',
    key: 'account',
  });
  expect(valueOf('worker', 'FAREBOX_STRIPE_SECRET_KEY')?.valueFrom?.secretKeyRef).toEqual({
    name: 'stripe',
    key: 'FAREBOX_STRIPE_SECRET_KEY',
  });
  const withUpstream = PARTS.filter((part) => valueOf(part, 'VLLM_API_KEY') !== undefined);
  expect(withUpstream).toEqual(['gateway']);
});

it('the chart leaves the number of copies to the autoscaler where there is one', () => {
  expect(workload('gateway').spec.replicas).toBeUndefined();
  expect(workload('worker').spec.replicas).toBe(2);
  expect(workloadsOf(renderChart(LEAST)).get('gateway')?.spec.replicas).toBe(2);
});
