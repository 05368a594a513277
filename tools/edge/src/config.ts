import { z } from 'zod';
import { listenHost, loadConfig, port, type Environment } from '@farebox/config';

export interface EdgeConfig {
  host: string;
  port: number;
  /** Base URLs; requests go to them in turn. */
  gatewayUrls: readonly string[];
  accountUrl: string;
}

const httpUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).protocol === 'http:',
    'must be a URL like http://127.0.0.1:8081',
  );

const schema = z.object({
  FAREBOX_HOST: listenHost().default('127.0.0.1'),
  FAREBOX_PORT: port().default(8080),
  FAREBOX_EDGE_GATEWAY_URLS: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(httpUrl).min(1)),
  FAREBOX_EDGE_ACCOUNT_URL: httpUrl,
});

/** Reads the environment. Throws ConfigError. */
export function readConfig(environment: Environment): { config: EdgeConfig; warnings: string[] } {
  const { values, warnings } = loadConfig(schema, environment);
  const config = {
    host: values.FAREBOX_HOST,
    port: values.FAREBOX_PORT,
    gatewayUrls: values.FAREBOX_EDGE_GATEWAY_URLS,
    accountUrl: values.FAREBOX_EDGE_ACCOUNT_URL,
  };
  return { config, warnings };
}
