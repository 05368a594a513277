import { uuidV7 } from '@farebox/auth';
import { chooseJobBackend, openJobSender } from '@farebox/jobs';
import type { RedisServer } from '@farebox/local-services';
import { toNanoUsd } from '@farebox/money';
import { startTestRedis, PATIENT_SENDER } from '@farebox/testing';
import { openAdminHarness, runInside, type AdminHarness, type Ran } from '../test/admin-harness';
import { givenDeadJob } from '../test/dead-jobs';

describe.each(['redis', 'postgres'] as const)('the jobs of a worker whose queues are in %s', (kind) => {
  let harness: AdminHarness;
  let redis: RedisServer | undefined;
  let environment: Record<string, string>;
  beforeAll(async () => {
    redis = kind === 'redis' ? await startTestRedis() : undefined;
  });
  beforeEach(async () => {
    await redis?.restart();
    harness = await openAdminHarness();
    environment = { ...harness.environment, ...(redis && { REDIS_URL: redis.url }) };
  });
  afterEach(() => harness.close());
  afterAll(() => redis?.remove());

  const admin = (...args: string[]): Promise<Ran> => runInside(environment, args);
  async function adminJson(...args: string[]): Promise<Record<string, unknown>> {
    const { exitCode, out, err } = await admin(...args, '--json');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    return JSON.parse(out) as Record<string, unknown>;
  }
  const givenDead = (failure?: string): Promise<string> => givenDeadJob({ environment }, failure);

  async function givenWaiting(): Promise<string> {
    const sender = openJobSender(
      chooseJobBackend(environment['REDIS_URL'], String(environment['DATABASE_URL'])),
      PATIENT_SENDER,
    );
    const [holdId, accountId] = [uuidV7(), uuidV7()];
    const counts = { promptTokens: 1, completionTokens: 2, latencyMs: 3 };
    const usage = { ...counts, outcome: 'completed', streamed: true, estimated: false } as const;
    const measured = { ...usage, measuredCostNano: toNanoUsd(7n) };
    await sender.send('reconcile-charge', holdId, { holdId, accountId, usage: measured });
    await sender.close();
    return holdId;
  }

  /** The outcomes in the audit log, newest first. A command that is refused, or has nothing to do, leaves no row. */
  async function loggedOutcomes(): Promise<string[]> {
    const { data } = await adminJson('log', '--action', 'job');
    return (data as { outcome: string }[]).map(({ outcome }) => outcome);
  }

  it('are listed: waiting and dead ones', async () => {
    expect((await admin('job', 'list')).out).toBe(`There are no such jobs. The queues are in ${kind}.\n`);
    const dead = await givenDead('no database\nat line 5');
    const waiting = await givenWaiting();
    const all = await adminJson('job', 'list');
    expect(all).toMatchObject({ object: 'list', kept_in: kind, has_more: false });
    expect(all.data).toMatchObject([
      { job_id: waiting, state: 'waiting', attempts: 0, max_attempts: 40, failure: null, failed_at: null },
      { job_id: dead, job: 'reconcile-charge', queue: 'farebox-charges', state: 'failed', attempts: 1 },
    ]);
    expect((await adminJson('job', 'list', '--failed')).data).toMatchObject([
      { job_id: dead, failure: 'no database\nat line 5', failed_at: expect.any(Number) as number },
    ]);
    expect((await adminJson('job', 'list', '--queue', 'farebox-mail')).data).toEqual([]);
    expect(await adminJson('job', 'list', '--limit', '1')).toMatchObject({ has_more: true });
    const { out } = await admin('job', 'list', '--failed');
    expect(out).toMatch(new RegExp(`^${dead} .* failed +1/1 +no database\n$`, 'm'));
  });

  it('are shown with their payload', async () => {
    const dead = await givenDead();
    const id = await givenWaiting();
    const usage = { measuredCostNano: '7', promptTokens: 1 };
    expect(await adminJson('job', 'show', id)).toMatchObject({
      ...{ job_id: id, state: 'waiting', kept_in: kind },
      payload: { holdId: id, usage },
    });
    expect((await admin('job', 'show', dead)).out).toContain('failure  no database\n');
    expect(await admin('job', 'show', 'nothing')).toEqual({
      exitCode: 1,
      out: '',
      err: `There is no job nothing in the queues in ${kind}.\n`,
    });
  });

  it('are retried only once they are dead', async () => {
    const dead = await givenDead();
    expect(await adminJson('job', 'retry', dead)).toMatchObject({ job_id: dead, retried: 1 });
    expect(await adminJson('job', 'show', dead)).toMatchObject({ state: 'waiting', attempts: 0 });
    const again = await admin('job', 'retry', dead);
    expect(again).toMatchObject({ exitCode: 1, err: `The job ${dead} has not failed: it is waiting.\n` });
    expect(await loggedOutcomes()).toEqual(['done', 'attempted']);
  });

  it('are retried all together', async () => {
    const dead = [await givenDead(), await givenDead(), await givenDead()];
    const waiting = await givenWaiting();
    expect(await adminJson('job', 'retry', '--all')).toEqual({ retried: dead.length });
    const { data } = await adminJson('job', 'list');
    const states = (data as { job_id: string; state: string }[]).map(({ job_id, state }) => [job_id, state]);
    expect(Object.fromEntries(states)).toEqual(
      Object.fromEntries([...dead, waiting].map((id) => [id, 'waiting'])),
    );
    expect(await admin('job', 'retry', '--all')).toMatchObject({
      exitCode: 0,
      out: 'There is no failed job.\n',
    });
    expect(await loggedOutcomes()).toEqual(['done', 'attempted']);
  });

  it('are discarded once they are dead, after a confirmation', async () => {
    const dead = await givenDead();
    expect((await admin('job', 'discard', dead)).exitCode).toBe(2);
    expect(await adminJson('job', 'show', dead)).toMatchObject({ state: 'failed' });
    expect(await adminJson('job', 'discard', dead, '--yes')).toMatchObject({ job_id: dead });
    expect((await admin('job', 'show', dead)).exitCode).toBe(1);
    const waiting = await givenWaiting();
    expect((await admin('job', 'discard', waiting, '--yes')).exitCode).toBe(1);
    expect(await loggedOutcomes()).toEqual(['done', 'attempted']);
    expect(await adminJson('job', 'show', waiting)).toMatchObject({ state: 'waiting' });
  });
});

describe('the jobs of a worker whose Redis is not there', () => {
  it('are soon reported as unreachable', async () => {
    const harness = await openAdminHarness();
    const environment = { ...harness.environment, REDIS_URL: 'redis://127.0.0.1:9' };
    expect(await runInside(environment, ['job', 'list'])).toEqual({
      exitCode: 1,
      out: '',
      err: 'The job queues in the Redis of REDIS_URL do not answer.\n',
    });
    await harness.close();
  });
});

it('one job or all are retried', async () => {
  const harness = await openAdminHarness();
  expect((await harness.admin('job', 'retry')).exitCode).toBe(2);
  expect((await harness.admin('job', 'retry', 'one', '--all')).exitCode).toBe(2);
  await harness.close();
});
