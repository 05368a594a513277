import { GATEWAY_PATHS } from '@farebox/api/gateway-paths';
import { z } from 'zod';
import { type Manifest, policiesOf, selects, workloadsOf, type Workload } from './manifest';
import { EVERYTHING, LEAST, renderChart } from './render-chart';

let everything: Manifest[];
let least: Manifest[];
beforeAll(() => {
  everything = renderChart(EVERYTHING);
  least = renderChart(LEAST);
});

const SERVICES = ['gateway', 'account', 'worker', 'operator'];
const podLabels = (manifests: readonly Manifest[], part: string): Record<string, string> => {
  const found = workloadsOf(manifests).get(part);
  if (found === undefined) throw new Error(`there is no workload ${part}`);
  return found.pod.metadata.labels;
};

/** The ports to which the policies let a pod connect, apart from those of names. */
const reached = (manifests: readonly Manifest[], part: string) =>
  policiesOf(manifests, podLabels(manifests, part))
    .flatMap(({ egress }) => egress)
    .flatMap(({ ports }) => ports.map(({ port }) => port))
    .filter((port) => port !== 53)
    .sort();

/** The peers that are let in, and to which port. */
const admitted = (manifests: readonly Manifest[], part: string) =>
  policiesOf(manifests, podLabels(manifests, part))
    .flatMap(({ ingress }) => ingress)
    .flatMap(({ from, ports }) => ports.map(({ port }) => [from, port]));

const peer = (app: string) => [{ podSelector: { matchLabels: { app } } }];

it('every pod is in a policy that lets nothing in and nothing out but what is named', () => {
  for (const manifests of [least, everything])
    for (const [part, { pod }] of workloadsOf(manifests)) {
      const [first, ...more] = policiesOf(manifests, pod.metadata.labels);
      expect([part, first?.policyTypes, more.length]).toEqual([part, ['Ingress', 'Egress'], 1]);
    }
});

it('each part reaches what it needs, and nothing else', () => {
  expect(reached(least, 'gateway')).toEqual([443, 5432, 6379]);
  expect(reached(least, 'account')).toEqual([5432]);
  expect(reached(least, 'worker')).toEqual([443, 5432, 6379]);
  expect(reached(least, 'operator')).toEqual([5432, 6379]);
  expect(reached(least, 'migration')).toEqual([5432]);
  expect(reached(everything, 'gateway')).toEqual([443, 5432, 6379, 8000]);
  expect(reached(everything, 'account')).toEqual([443, 5432]);
  expect(reached(everything, 'worker')).toEqual([443, 465, 5432, 6379]);
  expect(reached(everything, 'operator')).toEqual([443, 5432, 6379]);
  expect(reached(everything, 'admin')).toEqual([5432, 6379]);
});

it("the sentinels of Redis are reached at their own port, where Redis's is", () => {
  const manifests = renderChart({ ...LEAST, networkPolicy: { redis: { sentinelPort: 26_379 } } });
  expect(reached(manifests, 'gateway')).toEqual([26_379, 443, 5432, 6379]);
  expect(reached(manifests, 'account')).toEqual([5432]);
  expect(reached(manifests, 'worker')).toEqual([26_379, 443, 5432, 6379]);
});

it('no rule leads to everywhere: what names no address names a port of database, Redis or mail', () => {
  const rules = policiesOf(everything, podLabels(everything, 'worker')).flatMap(({ egress }) => egress);
  const open = rules
    .filter(({ to }) => to === undefined)
    .flatMap(({ ports }) => ports.map(({ port }) => port));
  expect(open.sort()).toEqual([465, 6379]);
  const web = rules.filter(({ ports }) => ports.some(({ port }) => port === 443));
  for (const { to } of web)
    expect(JSON.stringify(to)).toMatch(
      /10\.0\.0\.0\/8.*169\.254\.0\.0\/16.*172\.16\.0\.0\/12.*192\.168\.0\.0\/16/,
    );
});

it('nobody comes in unless the values name them, and customers never to the operator service or the metrics', () => {
  for (const part of workloadsOf(least).keys()) expect([part, admitted(least, part)]).toEqual([part, []]);
  const metrics = [peer('prometheus'), 'metrics'];
  for (const part of ['gateway', 'account'])
    expect(admitted(everything, part)).toEqual([metrics, [peer('proxy'), 'http']]);
  expect(admitted(everything, 'operator')).toEqual([metrics, [peer('vpn'), 'http']]);
  expect(admitted(everything, 'worker')).toEqual([metrics]);
});

const serviceSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    selector: z.record(z.string(), z.string()),
    ports: z.array(z.object({ name: z.string(), port: z.number(), targetPort: z.string() })),
  }),
});
const servicesOf = (manifests: readonly Manifest[]) =>
  new Map(
    manifests
      .filter(({ kind }) => kind === 'Service')
      .map((manifest) => serviceSchema.parse(manifest))
      .map(({ metadata, spec }) => [metadata.name, spec]),
  );

it('each service leads to the pods of its part at a port that they have, and the one of the metrics to all that run', () => {
  const services = servicesOf(everything);
  expect([...services.keys()].sort()).toEqual(
    ['farebox-account', 'farebox-gateway', 'farebox-metrics', 'farebox-operator'].sort(),
  );
  const chosen = (name: string): [string, Workload][] =>
    [...workloadsOf(everything)].filter(([, { pod }]) =>
      selects(services.get(name)?.selector ?? { none: '' }, pod.metadata.labels),
    );
  for (const part of ['gateway', 'account', 'operator'])
    expect(chosen(`farebox-${part}`).map(([name]) => name)).toEqual([part]);
  expect(
    chosen('farebox-metrics')
      .map(([name]) => name)
      .sort(),
  ).toEqual([...SERVICES].sort());
  for (const [name, { ports }] of services)
    for (const { targetPort, port } of ports)
      for (const [part, { container }] of chosen(name)) {
        const found = container.ports.find((one) => one.name === targetPort)?.containerPort;
        expect([name, part, found]).toEqual([name, part, port]);
      }
});

it('disruption budgets, autoscalers and spread choose the pods of one part', () => {
  for (const [part, { pod, spec }] of workloadsOf(everything)) {
    if (!SERVICES.includes(part)) continue;
    const wanted = spec.selector?.matchLabels ?? {};
    expect(selects(wanted, pod.metadata.labels)).toBe(true);
    const others = [...workloadsOf(everything)].filter(([, other]) =>
      selects(wanted, other.pod.metadata.labels),
    );
    expect(others.map(([name]) => name)).toEqual([part]);
    expect(pod.spec.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels)).toEqual([
      wanted,
      wanted,
    ]);
    const budget = everything.find(
      ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === `farebox-${part}`,
    );
    expect(budget?.['spec']).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: wanted } });
  }
});

/** The paths of the gateways, and the host, by ingress and by route. */
const ingressSchema = z.object({
  spec: z.object({
    tls: z.array(z.object({ hosts: z.array(z.string()), secretName: z.string() })),
    rules: z.array(
      z.object({
        host: z.string(),
        http: z.object({
          paths: z.array(
            z.object({
              path: z.string(),
              pathType: z.literal('Prefix'),
              backend: z.object({
                service: z.object({ name: z.string(), port: z.object({ name: z.string() }) }),
              }),
            }),
          ),
        }),
      }),
    ),
  }),
});
const routeSchema = z.object({
  spec: z.object({
    hostnames: z.array(z.string()),
    rules: z.array(
      z.object({
        matches: z.array(z.object({ path: z.object({ type: z.literal('PathPrefix'), value: z.string() }) })),
        timeouts: z.unknown(),
        backendRefs: z.tuple([z.object({ name: z.string(), port: z.number() })]),
      }),
    ),
  }),
});

/** Each path of the API of gateways once, without those that another one leads to. */
const prefixes = Object.values(GATEWAY_PATHS).filter(
  (path, _at, all) => !all.some((other) => path !== other && path.startsWith(`${other}/`)),
);

it('the ingress sends the paths of gateways to them and everything else to the account service', () => {
  const ingress = ingressSchema.parse(everything.find(({ kind }) => kind === 'Ingress'));
  const [rule] = ingress.spec.rules;
  expect(rule?.host).toBe('farebox.example');
  expect(ingress.spec.tls).toEqual([{ hosts: ['farebox.example'], secretName: 'farebox-tls' }]);
  const pathsOf = (service: string) =>
    rule?.http.paths.filter(({ backend }) => backend.service.name === service).map(({ path }) => path);
  expect(pathsOf('farebox-gateway')?.sort()).toEqual([...prefixes].sort());
  expect(pathsOf('farebox-account')).toEqual(['/']);
});

it('the route does the same, and has no time-out that would cut a stream', () => {
  const route = routeSchema.parse(everything.find(({ kind }) => kind === 'HTTPRoute'));
  expect(route.spec.hostnames).toEqual(['farebox.example']);
  const services = servicesOf(everything);
  const [gateway, account, ...more] = route.spec.rules.map(
    ({ matches, timeouts, backendRefs: [{ name, port }] }) => {
      expect(timeouts).toEqual({ request: '0s', backendRequest: '0s' });
      expect(services.get(name)?.ports[0]?.port).toBe(port);
      return { name, paths: matches.map(({ path }) => path.value).sort() };
    },
  );
  expect(gateway).toEqual({ name: 'farebox-gateway', paths: [...prefixes].sort() });
  expect(account).toEqual({ name: 'farebox-account', paths: ['/'] });
  expect(more).toEqual([]);
});

it('two releases in one namespace do not share a name or a pod', () => {
  const other = renderChart(LEAST, 'second');
  const names = (manifests: readonly Manifest[]) =>
    manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(names(other).filter((name) => names(least).includes(name))).toEqual([]);
  for (const [, { selector }] of servicesOf(other))
    for (const [, { pod }] of workloadsOf(least)) expect(selects(selector, pod.metadata.labels)).toBe(false);
});
