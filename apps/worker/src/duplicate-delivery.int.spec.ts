import { JOBS, type JobHandlers, type JobName } from '@farebox/jobs';
import { verifyLedger } from '@farebox/ledger';
import { createLogger, quietTelemetry } from '@farebox/observability';
import { createTestDatabase, startSmtpReceiver } from '@farebox/testing';
import { readContent } from '../test/database-content';
import { DELIVERY_CASES, type DeliveryCase, type Surroundings } from '../test/delivery-cases';
import { composeMails } from './compose';
import { readConfig } from './config';
import { createHandlers } from './handlers';

// The queue delivers a job at least once: again after a worker died, and to two workers if one was wrongly
// considered dead.

let surroundings: Surroundings;
beforeEach(async () => {
  surroundings = { db: await createTestDatabase(), mailServer: await startSmtpReceiver() };
});
afterEach(async () => {
  const { db, mailServer } = surroundings;
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await mailServer.close();
  await db.drop();
});

/** The handlers of a worker for each job. */
function workerFor(name: JobName): JobHandlers {
  const { db, mailServer } = surroundings;
  const { config } = readConfig({
    DATABASE_URL: db.workerUrl,
    FAREBOX_MAIL_URL: mailServer.url,
    FAREBOX_MAIL_FROM: 'farebox@example.com',
    FAREBOX_PUBLIC_URL: 'https://farebox.example',
    ...DELIVERY_CASES[name].environment,
  });
  const log = createLogger({ service: 'worker', level: 'silent' });
  const pool = db.workerPool;
  const mails = composeMails(config, { pool, claims: pool, log });
  const { metrics } = quietTelemetry();
  return createHandlers({ config, pool, longWork: pool, mails, metrics, log });
}

type Perform = (handlers: JobHandlers) => Promise<void>;

async function givenJob(name: JobName): Promise<Perform> {
  const { given } = DELIVERY_CASES[name] as DeliveryCase<JobName>;
  const payload = await given(surroundings);
  return (handlers) =>
    (handlers[name] as JobHandlers[JobName] & ((...args: unknown[]) => Promise<void>))(payload, {
      id: 'job-1',
    });
}

const contentOf = async (): Promise<unknown> => ({
  database: await readContent(surroundings.db),
  mails: surroundings.mailServer.mails.length,
});

it('every existing job has a case here', () => {
  expect(Object.keys(DELIVERY_CASES).sort()).toEqual(Object.keys(JOBS).sort());
});

describe.each(Object.keys(JOBS) as JobName[])('%s', (name) => {
  const { effect, expected, done = () => Promise.resolve() } = DELIVERY_CASES[name];

  it('takes effect once, and not again on redelivery', async () => {
    const perform = await givenJob(name);
    expect(await effect(surroundings)).not.toEqual(expected);
    await perform(workerFor(name));
    await done(surroundings);
    expect(await effect(surroundings)).toEqual(expected);
    const once = await contentOf();
    await perform(workerFor(name));
    expect(await contentOf()).toEqual(once);
  });

  it('has the effect of one delivery on three concurrent workers, none of which fails', async () => {
    const perform = await givenJob(name);
    await Promise.all([perform(workerFor(name)), perform(workerFor(name)), perform(workerFor(name))]);
    await done(surroundings);
    expect(await effect(surroundings)).toEqual(expected);
    const once = await contentOf();
    await perform(workerFor(name));
    expect(await contentOf()).toEqual(once);
  });
});
