import {
  countHolds,
  expectAllAccountedFor,
  expectEventually,
  type SentRequest,
  type OutageHarness,
} from '../../test/outage-requests';
import { findWaiting, flushCommits, lockFunds, orderSweep } from '../../test/outage-database';
import { expectLeasesLapse, startOutageHarness } from '../../test/outage-harness';

let harness: OutageHarness;
beforeAll(async () => {
  harness = await startOutageHarness({ gateways: 1, leaseMs: 5_000 });
});
afterEach(async () => {
  await harness.heal();
  await expectAllAccountedFor(harness);
});
afterAll(async () => {
  await harness.close();
});

/** A running request. */
async function givenRequest(): Promise<SentRequest> {
  const sent = harness.requests.send({ model: 'pause-16000' });
  await expectEventually('it runs', () => harness.upstreamCalls.has(sent.attempt.request.name));
  return sent;
}

const countSwept = (): number => harness.log.of('holds_swept').length;

it('a worker recovers by itself from a loss of PostgreSQL, and sweeps the holds lost meanwhile', async () => {
  const { database, redis, gateways, worker, log } = harness;
  const process = worker.current;
  const [swept, failures] = [countSwept(), log.of('job_failed').length];
  const sent = await givenRequest();
  // Otherwise the crash takes the hold, and there is nothing to sweep.
  await flushCommits(database.pool);
  await database.stop();
  await gateways[0]?.kill();
  expect(await sent.ended).toEqual({ kind: 'cut', text: '' });
  await orderSweep(redis.url);
  await expectEventually('the worker cannot work', () => log.of('job_failed').length > failures);
  await database.start();
  await expectEventually('it sweeps', () => countSwept() > swept);
  expect([worker.current, process.running]).toEqual([process, true]);
  await gateways[0]?.start();
});

it('a worker recovers by itself from a Redis that was away and has lost everything', async () => {
  const { redis, gateways, worker } = harness;
  const process = worker.current;
  const swept = countSwept();
  const sent = await givenRequest();
  await redis.kill();
  await gateways[0]?.kill();
  expect(await sent.ended).toEqual({ kind: 'cut', text: '' });
  await redis.restart();
  await expectEventually('it sweeps', () => countSwept() > swept);
  expect([worker.current, process.running]).toEqual([process, true]);
  await gateways[0]?.start();
});

it('a worker that is asked to stop within a job completes it first, and exits with 0', async () => {
  const { database, redis, gateways, worker, log } = harness;
  await givenRequest();
  await gateways[0]?.kill();
  await expectLeasesLapse(harness);
  const lock = await lockFunds(database);
  await orderSweep(redis.url);
  const process = worker.current;
  const isSweeping = async () => (await findWaiting(database.pool, 'farebox-worker')).length > 0;
  await expectEventually('it sweeps', isSweeping);
  process.signal('SIGTERM');
  await process.until(process.output.waitForLine('"event":"stopping"'));
  expect([await countHolds(harness), await isSweeping(), process.running]).toEqual([1, true, true]);
  const swept = countSwept();
  await lock.end();
  expect(await process.exited).toEqual({ code: 0, signal: null });
  expect([await countHolds(harness), countSwept()]).toEqual([0, swept + 1]);
  expect(log.of('job_given_up')).toEqual([]);
  await Promise.all([worker.start(), gateways[0]?.start()]);
});
