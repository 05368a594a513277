import {
  JOBS,
  openJobSender,
  runJobs,
  type JobBackend,
  type JobHandlers,
  type RunningJobs,
} from '@farebox/jobs';
import type { RedisServer } from '@farebox/local-services';
import { startTestRedis, PATIENT_SENDER } from '@farebox/testing';
import { claimMailAndDie } from '../test/dying-worker';
import { openSendMailHarness, tokenIn, type SendMailHarness } from '../test/send-mail-harness';
import { openOutboxRelay } from './outbox-relay';

const LONGEST_WAIT_MS = 60_000;

describe.each(['redis', 'postgres'] as const)('mails through a queue in %s', (kind) => {
  let harness: SendMailHarness;
  let redis: RedisServer | undefined;
  let backend: JobBackend;
  const workers: RunningJobs[] = [];

  beforeEach(async () => {
    harness = await openSendMailHarness();
    if (kind === 'redis') redis = await startTestRedis();
    backend = { kind, url: redis?.url ?? harness.db.workerUrl };
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await redis?.remove();
    redis = undefined;
    await harness.close();
  });

  /** Hands the outbox over, as a worker does. */
  async function relay(): Promise<number> {
    const sender = openJobSender(backend, PATIENT_SENDER);
    const outbox = openOutboxRelay({ pool: harness.db.workerPool, sender, onUnreadable: () => undefined });
    const count = await outbox.relay();
    await sender.close();
    return count;
  }

  /** A dead worker's jobs go to another one after half a second. */
  async function startWorker(): Promise<void> {
    const idle = Object.keys(JOBS).map((name) => [name, () => Promise.resolve()]);
    const handlers: JobHandlers = {
      ...(Object.fromEntries(idle) as JobHandlers),
      'send-mail': ({ mailId }) => harness.send(mailId),
    };
    const quiet = { onFailed: () => undefined, onError: () => undefined };
    workers.push(await runJobs({ backend, handlers, lockMs: 500, ...quiet }));
  }

  async function untilEnded(): Promise<void> {
    const deadlineMs = Date.now() + LONGEST_WAIT_MS;
    while ((await harness.db.pool.query('SELECT FROM mail WHERE ended_at IS NULL')).rowCount) {
      if (Date.now() > deadlineMs) throw new Error('waited in vain');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('each is sent once by two workers', async () => {
    const emails: string[] = [];
    for (let people = 0; people < 20; people++) {
      const { email } = await harness.givenPerson();
      emails.push(email);
      await harness.postSignIn(email);
    }
    await Promise.all([relay(), relay()]);
    await startWorker();
    await startWorker();
    await untilEnded();
    expect(harness.smtp.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(emails.sort());
  });

  it('the mail of a killed worker is sent by the next one, once', async () => {
    const { email } = await harness.givenPerson();
    await harness.postSignIn(email);
    await relay();
    await claimMailAndDie(backend, harness.db.workerUrl);
    await startWorker();
    await untilEnded();
    expect(await harness.smtp.mailsTo(email)).toHaveLength(1);
  });

  it('a mail whose job was lost with its queue is posted again and sent', async () => {
    const { email } = await harness.givenPerson();
    await harness.postSignIn(email);
    await harness.db.pool.query('DELETE FROM outbox');
    await harness.db.pool.query(`UPDATE mail SET created_at = created_at - interval '11 minutes'`);
    expect(await relay()).toBe(0);
    await harness.postAgain();
    expect(await relay()).toBe(1);
    await startWorker();
    await untilEnded();
    expect(tokenIn((await harness.smtp.mailsTo(email))[0]?.text)).toMatch(/^lt-/);
  });
});
