import { startFaultProxy, type FaultProxy, startTestRedis } from '@farebox/testing';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { createCustomers, startBreakableService, type BreakableServiceOptions } from './breakable-service';
import type { BreakableDatabase } from './breakable-database';
import {
  countHolds,
  createSentRequests,
  expectEventually,
  type OutageHarness,
  type ServiceLog,
  type LogLine,
} from './outage-requests';
import { orderSweep } from './outage-database';

export type OutageHarnessOptions = Partial<
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
/** Long enough for a busy machine, and short enough to see what follows in an outage of the database. */
const TIMEOUTS = { FAREBOX_DATABASE_TIMEOUT: '10s', FAREBOX_RATE_LIMIT_TIMEOUT: '5s' };

export async function startOutageHarness({
  hasWays,
  ...options
}: OutageHarnessOptions): Promise<OutageHarness> {
  const redis = await startTestRedis();
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
      gatewayEnv: (number) => ({ ...TIMEOUTS, ...options.gatewayEnv?.(number) }),
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
      async heal() {
        await service.database.heal();
        await Promise.all(ways.map((way) => way.heal()));
        redis.resume();
        if (!redis.isRunning) await redis.restart();
        await Promise.all([service.worker, ...service.gateways].map((process) => process.heal()));
      },
      async close() {
        await requests.close();
        try {
          await service.database.heal();
        } finally {
          await service.close();
          await redis.remove();
        }
      },
    };
  } catch (error) {
    await redis.remove();
    throw error;
  }
}

/** Waits until all holds belong to gateways that have been silent for longer than their lease. */
export async function expectLeasesLapse({ database }: Pick<OutageHarness, 'database'>): Promise<void> {
  await expectEventually('the leases lapse', async () => {
    const { rowCount } = await database.pool.query(
      `SELECT 1 FROM hold JOIN gateway_instance g ON g.id = gateway_instance_id
       WHERE lease_expires_at > clock_timestamp()`,
    );
    return rowCount === 0;
  });
}

/** Waits until the worker has swept the holds of lost gateways. */
export async function expectSweep(harness: OutageHarness): Promise<void> {
  await expectLeasesLapse(harness);
  await orderSweep(harness.redis.url);
  await expectEventually('its holds are swept', async () => (await countHolds(harness)) === 0);
}

export function createServiceLog(): ServiceLog {
  const lines: LogLine[] = [];
  return {
    add(process, line) {
      if (line.startsWith('{')) lines.push({ ...(JSON.parse(line) as LogLine), process });
    },
    of: (event) => lines.filter((line) => line.event === event),
  };
}

/** A process's clock with an offset. */
export interface ShiftedClock {
  /** The environment of the process. */
  env: Readonly<Record<string, string>>;
  /** Sets the clock of the running process, and resolves when it has taken effect. */
  set(shiftMs: number): Promise<void>;
  remove(): void;
}

/** The code that Node loads before the app. */
const programOf = (file: string): string => `
const { readFileSync, writeFileSync } = require('node:fs');
const file = ${JSON.stringify(file)};
const Right = Date;
const read = () => Number(readFileSync(file, 'utf8'));
let shiftMs = read();
setInterval(() => {
  if (read() === shiftMs) return;
  shiftMs = read();
  writeFileSync(file + '.seen', String(shiftMs));
}, 20).unref();
globalThis.Date = class extends Right {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(Right.now() + shiftMs);
  }
  static now() {
    return Right.now() + shiftMs;
  }
};`;

/** Shifts the wall clock by this much; durations stay right. */
export function shiftClock(shiftMs: number): ShiftedClock {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-clock-'));
  const shift = join(folder, 'shift');
  const program = join(folder, 'clock.cjs');
  writeFileSync(shift, String(shiftMs));
  writeFileSync(program, programOf(shift));
  return {
    env: { NODE_OPTIONS: `--require=${program}` },
    async set(ms) {
      // In one step: the process must never read half of it.
      writeFileSync(`${shift}.new`, String(ms));
      renameSync(`${shift}.new`, shift);
      const isSeen = () =>
        existsSync(`${shift}.seen`) && readFileSync(`${shift}.seen`, 'utf8') === String(ms);
      await expectEventually('the process has seen its clock', isSeen);
    },
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}

/** Makes the lost gateways with these requests appear silent for longer than a lease. */
export async function expireLeases(pool: pg.Pool, requestIds: readonly string[]): Promise<void> {
  await pool.query(
    `UPDATE gateway_instance SET lease_expires_at = now()
     WHERE id IN (SELECT gateway_instance_id FROM hold WHERE request_id = ANY ($1))`,
    [requestIds],
  );
}
