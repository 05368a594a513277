import {
  JOBS,
  openJobSender,
  runJobs,
  type JobBackend,
  type JobHandlers,
  type RunningJobs,
} from '@farebox/jobs';
import { locateRedis, RedisServer, thisMachine } from '@farebox/local-services';
import { openOutboxRelay } from '../../outbox/relay-outbox';
import { claimMailAndDie } from './dying-worker.stand';
import { openSendMailStand, tokenIn, type SendMailStand } from './send-mail.stand';

const LONGEST_WAIT_MS = 20_000;

describe.each(['redis', 'postgres'] as const)('mails through a queue in %s', (kind) => {
  let stand: SendMailStand;
  let redis: RedisServer | undefined;
  let backend: JobBackend;
  const workers: RunningJobs[] = [];

  beforeEach(async () => {
    stand = await openSendMailStand();
    if (kind === 'redis') {
      const source = locateRedis({ ...thisMachine(() => undefined), env: {} });
      if (source.kind !== 'program') throw new Error('These tests start a Redis of their own.');
      redis = await RedisServer.start(source.path);
    }
    backend = { kind, url: redis?.url ?? stand.db.workerUrl };
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    await redis?.remove();
    redis = undefined;
    await stand.close();
  });

  /** Hands the outbox over, as a worker does. */
  async function relay(): Promise<number> {
    const sender = openJobSender(backend);
    const outbox = openOutboxRelay({ pool: stand.db.workerPool, sender, onUnreadable: () => undefined });
    const count = await outbox.relay();
    await sender.close();
    return count;
  }

  /** Another worker gets the jobs of one that has died after half a second. */
  async function startWorker(): Promise<void> {
    const idle = Object.keys(JOBS).map((name) => [name, () => Promise.resolve()]);
    const handlers: JobHandlers = {
      ...(Object.fromEntries(idle) as JobHandlers),
      'send-mail': ({ mailId }) => stand.send(mailId),
    };
    const quiet = { onFailed: () => undefined, onError: () => undefined };
    workers.push(await runJobs({ backend, handlers, lockMs: 500, ...quiet }));
  }

  async function untilEnded(): Promise<void> {
    const deadlineMs = Date.now() + LONGEST_WAIT_MS;
    while ((await stand.db.pool.query('SELECT FROM mail WHERE ended_at IS NULL')).rowCount) {
      if (Date.now() > deadlineMs) throw new Error('waited in vain');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('each is sent once, by two workers', async () => {
    const emails: string[] = [];
    for (let people = 0; people < 20; people++) {
      const { email } = await stand.givenPerson();
      emails.push(email);
      await stand.postSignIn(email);
    }
    await Promise.all([relay(), relay()]);
    await startWorker();
    await startWorker();
    await untilEnded();
    expect(stand.smtp.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(emails.sort());
  });

  it('one whose worker was killed while it had it is sent by the next, once', async () => {
    const { email } = await stand.givenPerson();
    await stand.postSignIn(email);
    await relay();
    await claimMailAndDie(backend, stand.db.workerUrl);
    await startWorker();
    await untilEnded();
    expect(await stand.smtp.mailsTo(email)).toHaveLength(1);
  });

  it('one whose job was lost with its queue is posted again, and sent', async () => {
    const { email } = await stand.givenPerson();
    await stand.postSignIn(email);
    await stand.db.pool.query('DELETE FROM outbox');
    await stand.db.pool.query(`UPDATE mail SET created_at = created_at - interval '11 minutes'`);
    expect(await relay()).toBe(0);
    await stand.postAgain();
    expect(await relay()).toBe(1);
    await startWorker();
    await untilEnded();
    expect(tokenIn((await stand.smtp.mailsTo(email))[0]?.text)).toMatch(/^lt-/);
  });
});
