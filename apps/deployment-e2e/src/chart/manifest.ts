import { z } from 'zod';

/** The fields of manifests that the tests check. */
const labels = z.record(z.string(), z.string()).default({});
const selector = z.object({ matchLabels: labels });

const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }).optional(),
});
export type ContainerVariable = z.output<typeof variable>;

const probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
  failureThreshold: z.number(),
  terminationGracePeriodSeconds: z.number().optional(),
});

const container = z.object({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  securityContext: z.unknown(),
  env: z.array(variable),
  volumeMounts: z
    .array(z.object({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true) }))
    .default([]),
  resources: z.object({
    requests: z.record(z.string(), z.string()),
    limits: z.record(z.string(), z.string()),
  }),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z
    .object({ preStop: z.object({ exec: z.object({ command: z.tuple([z.string(), z.string()]) }) }) })
    .optional(),
});

const podTemplate = z.object({
  metadata: z.object({ labels }),
  spec: z.object({
    automountServiceAccountToken: z.boolean().optional(),
    enableServiceLinks: z.boolean().optional(),
    securityContext: z.unknown(),
    serviceAccountName: z.string().optional(),
    terminationGracePeriodSeconds: z.number(),
    topologySpreadConstraints: z.array(z.object({ labelSelector: selector })).default([]),
    containers: z.array(container),
    initContainers: z.never().optional(),
    volumes: z.array(z.object({ name: z.string(), configMap: z.object({ name: z.string() }) })).default([]),
  }),
});

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels, annotations: labels }),
});
export type Manifest = z.output<typeof manifestSchema>;

export const readManifests = (documents: readonly unknown[]): Manifest[] =>
  documents.map((document) => manifestSchema.parse(document));

const workloadSchema = z.object({
  metadata: z.object({ name: z.string(), annotations: labels }),
  spec: z.object({
    replicas: z.number().optional(),
    selector: selector.optional(),
    template: podTemplate,
  }),
});

const WORKLOADS = ['Deployment', 'Job'];

/** The Deployments and the Job, by the part of Farebox that they run. */
export function workloadsOf(manifests: readonly Manifest[]) {
  const found = manifests
    .filter(({ kind }) => WORKLOADS.includes(kind))
    .map((manifest) => workloadSchema.parse(manifest));
  return new Map(
    found.map(({ metadata, spec }) => {
      const [first, ...more] = spec.template.spec.containers;
      if (first === undefined || more.length > 0) throw new Error(`${metadata.name} has not one container`);
      return [first.name, { metadata, spec, pod: spec.template, container: first }];
    }),
  );
}
export type Workload = ReturnType<typeof workloadsOf> extends Map<string, infer One> ? One : never;

const PEER = z.looseObject({});
const rule = z.object({
  from: z.array(PEER).optional(),
  to: z.array(PEER).optional(),
  ports: z.array(z.object({ protocol: z.string(), port: z.union([z.number(), z.string()]) })),
});
const policySchema = z.object({
  spec: z.object({
    podSelector: selector,
    policyTypes: z.array(z.string()),
    ingress: z.array(rule).default([]),
    egress: z.array(rule).default([]),
  }),
});

/** The network policies that are in force for a pod with these labels. */
export function policiesOf(manifests: readonly Manifest[], pod: Readonly<Record<string, string>>) {
  return manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map((manifest) => policySchema.parse(manifest).spec)
    .filter(({ podSelector }) => selects(podSelector.matchLabels, pod));
}

export function selects(
  wanted: Readonly<Record<string, string>>,
  of: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([name, value]) => of[name] === value);
}
