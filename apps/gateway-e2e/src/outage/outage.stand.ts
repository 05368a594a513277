import type { RedisServer } from '@farebox/local-services';
import { startFaultProxy, type FaultProxy } from '@farebox/testing';
import {
  startBreakableService,
  type BreakableService,
  type BreakableServiceOptions,
} from '../breakable/breakable-service';
import type { BreakableDatabase } from '../breakable/breakable-database';
import { createCustomers, type Customer } from '../breakable/customers';
import { startOwnRedis } from '../breakable/own-redis';
import { createSentRequests, type SentRequests } from './sent-requests';
import { createServiceLog, type ServiceLog } from './service-log';

/** The built service with a PostgreSQL and a Redis that are taken from it, and all that was asked of it. */
export interface OutageStand extends BreakableService {
  redis: RedisServer;
  log: ServiceLog;
  requests: SentRequests;
  /** The way of each gateway to the database, where the stand has them. */
  ways: readonly FaultProxy[];
  customers: Customer[];
  /** Customers of their own: whom nobody knows yet, and whose requests have not been counted. */
  addCustomers(count: number): Promise<Customer[]>;
}

export type OutageStandOptions = Partial<
  Pick<
    BreakableServiceOptions,
    'gateways' | 'leaseMs' | 'tokensPerSecond' | 'postgres' | 'gatewayEnv' | 'workerEnv'
  >
> & {
  /** Whether the gateways reach the database through proxies. */
  hasWays?: boolean;
};

const OPENED_WITH_NANO = 1_000_000_000_000n;
const TOKENS_PER_SECOND = 20;
const LEASE_MS = 30_000;

export async function startOutageStand({ hasWays, ...options }: OutageStandOptions): Promise<OutageStand> {
  const redis = await startOwnRedis();
  const log = createServiceLog();
  const ways: FaultProxy[] = [];
  const routeGateway = async ({ port, serviceUrl }: BreakableDatabase) => {
    const way = await startFaultProxy(port);
    ways.push(way);
    return { url: way.through(serviceUrl), close: () => way.close() };
  };
  try {
    const service = await startBreakableService({
      ...{ gateways: 2, leaseMs: LEASE_MS, tokensPerSecond: TOKENS_PER_SECOND, redisUrl: redis.url },
      openedWithNano: [OPENED_WITH_NANO],
      onLine: (process, line) => {
        log.add(process, line);
      },
      ...(hasWays ? { routeGateway } : {}),
      ...options,
    });
    const customers = [...service.customers];
    const requests = createSentRequests({ gateways: service.gateways, customers });
    return {
      ...{ ...service, redis, log, requests, ways, customers },
      async addCustomers(count) {
        const added = await createCustomers(
          service.database.pool,
          Array.from({ length: count }, () => OPENED_WITH_NANO),
        );
        customers.push(...added);
        return added;
      },
      async close() {
        await requests.close();
        await service.close();
        await redis.remove();
      },
    };
  } catch (error) {
    await redis.remove();
    throw error;
  }
}
