import type { RedisServer } from '@farebox/local-services';
import { startFaultProxy, startTestRedis, type FaultProxy, waitUntil } from '@farebox/testing';
import type { Redis } from 'ioredis';
import { connectRedis } from '../../src/limiter/redis-limiter';
import { toLimiterSettings } from '../../src/limiter/request-limits';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { readAnswer, type ClientAnswer } from './client-answer';
import { faultCatalog } from './fault-catalog';
import { ask, type Asked } from './fault-request';
import { logLines } from './request-outcome';

/** A Redis for this test, and a proxy in front of it. */
export interface OwnRedis {
  server: RedisServer;
  proxy: FaultProxy;
  /** Without the proxy. */
  client: Redis;
  /** Running, empty, and reached without the proxy. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export async function startOwnRedis(): Promise<OwnRedis> {
  const server = await startTestRedis();
  const proxy = await startFaultProxy(server.port);
  const client = connectRedis(server.url, () => undefined);
  return {
    server,
    proxy,
    client,
    async renew() {
      await Promise.all([proxy.heal(), server.restart()]);
      await waitUntil(async () => (await client.ping().catch(() => '')) === 'PONG', 'Redis answers');
    },
    async close() {
      client.disconnect();
      await proxy.close();
      await server.remove();
    },
  };
}

/** Limit for each key, in a window longer than any test. */
export const REQUEST_LIMIT = 4;

/** `redisTimeoutMs`: time after which a gateway counts by itself. */
export function startLimitedGateway(
  { proxy, server }: OwnRedis,
  redisTimeoutMs: number,
): Promise<GatewayHarness> {
  const redisUrl = proxy.through(server.url);
  const requestLimits = toLimiterSettings({ requests: REQUEST_LIMIT, windowMs: 600_000, concurrent: 10 });
  const catalog = (url: string): string => faultCatalog({ simulated: url, patient: url, own: url });
  return startGatewayHarness({ redisUrl, requestLimits, redisTimeoutMs }, { catalog });
}

/** The client's view of the limit. `remaining` is null if no limit is shown. */
export async function askLimited(
  harness: GatewayHarness,
  asked: Omit<Asked, 'model'>,
): Promise<{ id: string; answer: ClientAnswer; remaining: string | null }> {
  const request = await ask(harness, { model: 'patient-echo', ...asked });
  const response = await request.response;
  const result = [...response.headers].filter(([name]) => name.startsWith('x-ratelimit-'));
  const remaining = response.headers.get('x-ratelimit-remaining-requests');
  expect(result).toHaveLength(remaining === null ? 0 : 3);
  return { id: request.id, answer: await readAnswer(response), remaining };
}

/** The limiter's log lines. */
export function limiterLog(harness: GatewayHarness): string[] {
  return logLines(harness)
    .map(({ event }) => event)
    .filter((event) => event.startsWith('limiter_'));
}
