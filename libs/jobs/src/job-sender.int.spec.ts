import { JobNotSentError, openJobSender, type JobSender } from './job-sender';
import { aFailedCharge, openQueueStand, waitUntil, type QueueStand } from './queue.stand';

describe.each(['redis', 'postgres'] as const)('jobs sent to a queue in %s', (kind) => {
  let stand: QueueStand;
  let sender: JobSender;
  beforeEach(async () => {
    stand = await openQueueStand(kind);
    sender = openJobSender(stand.behindProxy);
  });
  afterEach(async () => {
    await sender.close();
    await stand.close();
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
    (await stand.openQueue('farebox-charges').getJobCounts('waiting'))['waiting'];

  it('are one job where they have one id, also at once', async () => {
    const charge = aFailedCharge();
    await Promise.all([send(charge), send(charge), send(charge)]);
    await send(charge);
    expect(await waiting()).toBe(1);
  });

  it('carry amounts as text and nothing beside their payload', async () => {
    const charge = aFailedCharge();
    await send(charge);
    const job = await stand.openQueue('farebox-charges').getJob(charge.holdId);
    const written = { ...charge, usage: { ...charge.usage, measuredCostNano: '9007199254740993' } };
    expect(job?.data).toEqual(written);
    const withAnswer = { ...charge, usage: { ...charge.usage, answer: 'a secret' } };
    await expect(sender.send('reconcile-charge', 'other', withAnswer)).rejects.toThrow('answer');
    expect(await waiting()).toBe(1);
  });

  it('fail where nothing listens, and go through when something does', async () => {
    stand.proxy.stopAccepting();
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await stand.proxy.acceptAgain();
    await waitUntil(isSent);
  });

  it('fail where it does not answer from the beginning, and go through when it does', async () => {
    stand.proxy.toClient.set({ kind: 'drop' });
    await expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await stand.proxy.heal();
    stand.proxy.reset();
    await waitUntil(isSent);
  });

  it.each([
    ['stops answering', () => stand.proxy.toClient.set({ kind: 'hold' })],
    [
      'is gone',
      () => {
        stand.proxy.stopAccepting();
        stand.proxy.reset();
      },
    ],
  ])('fail where it %s, and go through afterwards', async (_name, breakIt) => {
    await send();
    breakIt();
    const failed = await Promise.allSettled(Array.from({ length: 20 }, () => send()));
    for (const { status } of failed) expect(status).toBe('rejected');
    await stand.proxy.heal();
    await waitUntil(isSent);
  });

  it('do not keep a process that ends: closing waits for none of them for long', async () => {
    await send();
    stand.proxy.toClient.set({ kind: 'drop' });
    const sending = expect(send()).rejects.toBeInstanceOf(JobNotSentError);
    await sender.close();
    await sending;
  });
});
