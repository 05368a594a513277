import { JobNotSentError, openJobSender, type JobSender } from './job-sender';
import { aFailedCharge, openQueueHarness, waitUntil, type QueueHarness } from '../test/queue-harness';

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

  it('are one job where they have one id, also at once', async () => {
    const charge = aFailedCharge();
    await Promise.all([send(charge), send(charge), send(charge)]);
    await send(charge);
    expect(await waiting()).toBe(1);
  });

  it('carry amounts as text and nothing beside their payload', async () => {
    const charge = aFailedCharge();
    await send(charge);
    const job = await harness.openQueue('farebox-charges').getJob(charge.holdId);
    const written = { ...charge, usage: { ...charge.usage, measuredCostNano: '9007199254740993' } };
    expect(job?.data).toEqual(written);
    const withAnswer = { ...charge, usage: { ...charge.usage, answer: 'a secret' } };
    await expect(sender.send('reconcile-charge', 'other', withAnswer)).rejects.toThrow('answer');
    expect(await waiting()).toBe(1);
  });

  it('fail where nothing listens, and go through when something does', async () => {
    harness.proxy.stopAccepting();
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await harness.proxy.acceptAgain();
    await waitUntil(isSent);
  });

  it('fail where it does not answer from the beginning, and go through when it does', async () => {
    harness.proxy.toClient.set({ kind: 'drop' });
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await harness.proxy.heal();
    harness.proxy.reset();
    await waitUntil(isSent);
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
  ])('fail where it %s, and go through afterwards', async (_name, breakIt) => {
    await send();
    breakIt();
    const failed = await Promise.allSettled(Array.from({ length: 20 }, () => send()));
    for (const { status } of failed) expect(status).toBe('rejected');
    await harness.proxy.heal();
    await waitUntil(isSent);
  });

  it('do not keep a process that ends: closing waits for none of them for long', async () => {
    await send();
    harness.proxy.toClient.set({ kind: 'drop' });
    const sending = expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await sender.close();
    await sending;
  });
});
