import {
  openJobSender,
  openQueueAdmin,
  type JobBackend,
  type JobSender,
  type QueueAdmin,
} from '@farebox/jobs';
import type { RedisServer } from '@farebox/local-services';
import { createLogger } from '@farebox/observability';
import { startTestRedis, PATIENT_SENDER } from '@farebox/testing';
import {
  BALANCE_NANO,
  MEASURED_NANO,
  openFailedChargesHarness,
  type FailedChargesHarness,
} from '../test/failed-charges-harness';
import { compose } from './compose';
import { readConfig } from './config';

const LONGEST_WAIT_MS = 60_000;

/**
 * Polls a condition. The admin command has a time limit, so on a busy machine one attempt may fail and the
 * next succeed.
 */
async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  let failure: unknown;
  const look = (): Promise<boolean> =>
    isSo().catch((error: unknown) => {
      failure = error;
      return false;
    });
  while (!(await look())) {
    if (Date.now() > deadlineMs) throw new Error('waited in vain', { cause: failure });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.each(['redis', 'postgres'] as const)('failed charges in a queue in %s', (kind) => {
  let harness: FailedChargesHarness;
  let redis: RedisServer | undefined;
  let sender: JobSender;
  let admin: QueueAdmin;
  beforeEach(async () => {
    harness = await openFailedChargesHarness();
    redis = kind === 'redis' ? await startTestRedis() : undefined;
    const backend: JobBackend = { kind, url: redis?.url ?? harness.db.serviceUrl };
    sender = openJobSender(backend, PATIENT_SENDER);
    admin = openQueueAdmin(backend);
  });
  afterEach(async () => {
    await sender.close();
    await admin.close();
    await harness.close();
    await redis?.remove();
  });

  /** Runs this many workers until `isDone`. Returns their log. */
  async function runWorkers(count: number, policy: string, isDone: () => Promise<boolean>): Promise<string> {
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const log = createLogger({ service: 'worker', level: 'info', destination });
    const environment = {
      DATABASE_URL: harness.db.workerUrl,
      REDIS_URL: redis?.url,
      FAREBOX_REVIEW_POLICY: policy,
    };
    const { config } = readConfig(environment);
    const workers = await Promise.all(Array.from({ length: count }, () => compose(config, log)));
    try {
      await waitUntil(isDone);
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
    }
    return lines.join('');
  }

  it('each become one review, whichever of two workers had them', async () => {
    const charges = await Promise.all(Array.from({ length: 20 }, () => harness.givenFailedCharge(true)));
    for (const charge of charges) await sender.send('reconcile-charge', charge.holdId, charge);
    const log = await runWorkers(2, 'manual', async () => {
      const states = await Promise.all(charges.map(({ holdId }) => admin.find(holdId)));
      return states.every((job) => job?.state === 'done');
    });
    expect(log.match(/"review_opened"/g)).toHaveLength(charges.length);
    for (const { accountId } of charges) {
      expect(await harness.read(accountId)).toMatchObject({
        heldNano: MEASURED_NANO,
        reviews: [{ state: 'open' }],
      });
    }
  });

  it('are resolved according to FAREBOX_REVIEW_POLICY', async () => {
    const charge = await harness.givenFailedCharge(true);
    await sender.send('reconcile-charge', charge.holdId, charge);
    await runWorkers(1, 'charge', async () => (await admin.find(charge.holdId))?.state === 'done');
    expect(await harness.read(charge.accountId)).toMatchObject({
      balanceNano: BALANCE_NANO - MEASURED_NANO,
      reviews: [{ state: 'charged', resolved_by: 'policy' }],
    });
  });

  it('wait for a retry while the ledger cannot be written, and the hold stays', async () => {
    const charge = await harness.givenFailedCharge(true);
    await sender.send('reconcile-charge', charge.holdId, charge);
    await harness.db.pool.query('REVOKE EXECUTE ON FUNCTION ledger_open_charge_review FROM farebox_worker');
    const log = await runWorkers(1, 'manual', async () => (await admin.find(charge.holdId))?.attempts === 1);
    expect(await admin.find(charge.holdId)).toMatchObject({ state: 'delayed', attempts: 1, maxAttempts: 40 });
    expect(log).toContain(`"job":"reconcile-charge","job_id":"${charge.holdId}","attempt":1`);
    await harness.db.pool.query('GRANT EXECUTE ON FUNCTION ledger_open_charge_review TO farebox_worker');
    await runWorkers(1, 'manual', async () => (await admin.find(charge.holdId))?.state === 'done');
    expect(await harness.read(charge.accountId)).toMatchObject({ reviews: [{ state: 'open' }] });
  });
});
