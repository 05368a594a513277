import { z } from 'zod';
import { durationMs, listenHost, loadConfig, port, trustedProxies, type Environment } from '@farebox/config';

export interface EdgeConfig {
  host: string;
  port: number;
  /** Base URLs; requests go to them in turn. */
  gatewayUrls: readonly string[];
  accountUrl: string;
  /** Proxies in front, whose word on where a request comes from is taken. */
  trustedProxies: readonly string[];
  /** How long requests in flight may take to their end when the process is asked to stop. */
  drainTimeoutMs: number;
}

const httpUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).protocol === 'http:',
    'must be a URL like http://127.0.0.1:8081',
  );

export const variables = z.object({
  FAREBOX_HOST: listenHost().default('127.0.0.1'),
  FAREBOX_PORT: port().default(8080),
  FAREBOX_EDGE_GATEWAY_URLS: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(httpUrl).min(1)),
  FAREBOX_EDGE_ACCOUNT_URL: httpUrl,
  FAREBOX_EDGE_TRUSTED_PROXIES: trustedProxies().default([]),
  FAREBOX_EDGE_DRAIN_TIMEOUT: durationMs({ min: 0, max: 3_600_000 }).default(5_000),
});

/** Reads the environment. Throws ConfigError. */
export function readConfig(environment: Environment): { config: EdgeConfig; warnings: string[] } {
  const { values, warnings } = loadConfig(variables, environment);
  const config = {
    host: values.FAREBOX_HOST,
    port: values.FAREBOX_PORT,
    gatewayUrls: values.FAREBOX_EDGE_GATEWAY_URLS,
    accountUrl: values.FAREBOX_EDGE_ACCOUNT_URL,
    trustedProxies: values.FAREBOX_EDGE_TRUSTED_PROXIES,
    drainTimeoutMs: values.FAREBOX_EDGE_DRAIN_TIMEOUT,
  };
  return { config, warnings };
}
