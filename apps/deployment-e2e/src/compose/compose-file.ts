import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { parse } from 'yaml';
import { z } from 'zod';
import { interpolate } from './interpolate';

const condition = z.enum(['service_healthy', 'service_started', 'service_completed_successfully']);

/** The fields of a service that the tests check. */
const serviceSchema = z.object({
  image: z.string(),
  build: z
    .object({
      context: z.string(),
      dockerfile: z.string(),
      target: z.string(),
      args: z.record(z.string(), z.string()),
    })
    .optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  profiles: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  depends_on: z.record(z.string(), z.object({ condition })).default({}),
  networks: z
    .union([z.array(z.string()), z.record(z.string(), z.object({ ipv4_address: z.string() }).nullable())])
    .default([]),
  network_mode: z.string().optional(),
  sysctls: z.record(z.string(), z.number()).default({}),
  ulimits: z.object({ nofile: z.coerce.number() }).optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.unknown()).default([]),
  healthcheck: z.object({ test: z.array(z.string()).default([]) }).optional(),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  init: z.boolean().default(false),
  read_only: z.boolean().default(false),
  privileged: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  user: z.string().optional(),
});

const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  networks: z.record(
    z.string(),
    z.object({
      internal: z.boolean().default(false),
      ipam: z
        .object({
          config: z.array(z.object({ subnet: z.string(), ip_range: z.string(), gateway: z.string() })),
        })
        .optional(),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

export type ComposeFile = z.output<typeof composeSchema>;
export type ComposeService = z.output<typeof serviceSchema>;

/** Reads `docker/compose.yaml` with the variables of an `.env`. Throws if a required variable is missing. */
export function readComposeFile(variables: Readonly<Record<string, string>>): ComposeFile {
  const text = readFileSync(join(workspaceRoot(), 'docker/compose.yaml'), 'utf8');
  return composeSchema.parse(interpolateAll(parse(text, { merge: true }), variables));
}

function interpolateAll(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return interpolate(value, variables);
  if (Array.isArray(value)) return value.map((item) => interpolateAll(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, interpolateAll(item, variables)]),
  );
}

/** The networks of a service. */
export function networksOf({ networks }: ComposeService): string[] {
  return Array.isArray(networks) ? networks : Object.keys(networks);
}
