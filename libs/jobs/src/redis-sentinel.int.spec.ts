import { setTimeout as sleep } from 'node:timers/promises';
import { uuidV7 } from '@farebox/auth';
import { startRedisSentinels, waitUntil, type RedisSentinelGroup } from '@farebox/testing';
import { aFailedCharge, handlersWith } from '../test/queue-harness';
import { openJobSender, type JobSender } from './job-sender';
import { runJobs, type RunningJobs } from './run-jobs';

let group: RedisSentinelGroup;
let sender: JobSender;
let worker: RunningJobs;
let done = 0;

beforeAll(async () => {
  group = await startRedisSentinels();
  const backend = { kind: 'redis' as const, url: group.url };
  sender = openJobSender(backend, { timeoutMs: 10_000 });
  worker = await runJobs({
    backend,
    handlers: handlersWith({
      'reconcile-charge': () => {
        done++;
        return Promise.resolve();
      },
    }),
    onFailed: () => undefined,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await worker.close();
  await sender.close();
  await group.remove();
});

async function expectJobDone(): Promise<void> {
  const before = done;
  await waitUntil(async () => {
    // Another one each time: the server that took the last one may have died with it.
    await sender.send('reconcile-charge', uuidV7(), aFailedCharge()).catch(() => undefined);
    await sleep(500);
    return done > before;
  }, 'a job is done');
}

// The second needs the replica that the first one left.
it.each(['is killed', 'hangs, with all of its connections open'])(
  'jobs are taken and done again after the primary %s',
  async (what) => {
    await expectJobDone();
    const old = await group.primary();
    if (what === 'is killed') await old.kill();
    else old.pause();
    await group.failedOverFrom(old);
    await expectJobDone();
  },
);
