import { waitUntil } from '@farebox/testing';
import { JobNotSentError, openJobSender, type JobSender } from './job-sender';
import { aFailedCharge, openQueueHarness, type QueueHarness } from '../test/queue-harness';

describe.each(['redis', 'postgres'] as const)('jobs sent to a queue in %s', (kind) => {
  let harness: QueueHarness;
  let sender: JobSender;
  beforeEach(async () => {
    harness = await openQueueHarness(kind);
    sender = openJobSender(harness.behindProxy);
  });
  afterEach(async () => {
    await sender.close();
    await harness.close();
  });

  async function send(charge = aFailedCharge()): Promise<void> {
    await sender.send('reconcile-charge', charge.holdId, charge);
  }
  async function isSent(): Promise<boolean> {
    return send().then(
      () => true,
      () => false,
    );
  }
  const waiting = async (): Promise<number | undefined> =>
    (await harness.openQueue('farebox-charges').getJobCounts('waiting'))['waiting'];

  it('are one job if they share an id, even concurrently', async () => {
    const charge = aFailedCharge();
    await Promise.all([send(charge), send(charge), send(charge)]);
    await send(charge);
    expect(await waiting()).toBe(1);
  });

  it('carry amounts as text and nothing but their payload', async () => {
    const charge = aFailedCharge();
    await send(charge);
    const job = await harness.openQueue('farebox-charges').getJob(charge.holdId);
    const written = { ...charge, usage: { ...charge.usage, measuredCostNano: '9007199254740993' } };
    expect(job?.data).toEqual(written);
    const withAnswer = { ...charge, usage: { ...charge.usage, answer: 'a secret' } };
    await expect(sender.send('reconcile-charge', 'other', withAnswer)).rejects.toThrow('answer');
    expect(await waiting()).toBe(1);
  });

  it('fail while the backend is down, and succeed once it is up', async () => {
    harness.proxy.stopAccepting();
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await harness.proxy.acceptAgain();
    await waitUntil(isSent, 'a job is sent again');
  });

  it('fail if the backend is silent from the start, and succeed once it answers', async () => {
    harness.proxy.toClient.set({ kind: 'drop' });
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await harness.proxy.heal();
    harness.proxy.reset();
    await waitUntil(isSent, 'a job is sent again');
  });

  it.each([
    ['stops answering', () => harness.proxy.toClient.set({ kind: 'hold' })],
    [
      'is gone',
      () => {
        harness.proxy.stopAccepting();
        harness.proxy.reset();
      },
    ],
  ])('fail while it %s, and succeed afterwards', async (_name, breakIt) => {
    await send();
    breakIt();
    const failed = await Promise.allSettled(Array.from({ length: 20 }, () => send()));
    for (const { status } of failed) expect(status).toBe('rejected');
    await harness.proxy.heal();
    await waitUntil(isSent, 'a job is sent again');
  });

  it('do not delay a process that exits: closing never waits long', async () => {
    await send();
    harness.proxy.toClient.set({ kind: 'drop' });
    const sending = expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await sender.close();
    await sending;
  });
});
