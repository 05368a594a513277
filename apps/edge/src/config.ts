import { loadConfig, type Environment } from '@farebox/config';

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

/** Reads the environment. Throws ConfigError. */
export function readConfig(environment: Environment): { config: EdgeConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('edge', environment);
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
