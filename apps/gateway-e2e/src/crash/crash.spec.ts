import { randomInt } from 'node:crypto';
import { startTestRedis } from '@farebox/testing';
import { FAULTS } from './faults';
import { countFaults, runCrashTest, toText } from './run-crash-test';

it('crashes of gateways, worker and PostgreSQL under load lose no answer, charge none twice and leave no hold', async () => {
  const seed = process.env['FAREBOX_TEST_SEED'] ?? String(randomInt(1_000_000));
  const redis = await startTestRedis();
  const report = await runCrashTest({
    seed,
    rounds: Object.keys(FAULTS).length,
    gateways: 3,
    clients: 24,
    leaseMs: 3_000,
    redisUrl: redis.url,
    say: () => undefined,
  });
  await redis.remove();
  process.stdout.write(`${toText(report)}\n`);
  expect([...countFaults(report).keys()].sort()).toEqual(Object.keys(FAULTS).sort());
  expect(report.findings).toEqual([]);
  expect(report.books.charges.length).toBeGreaterThan(0);
}, 180_000);
