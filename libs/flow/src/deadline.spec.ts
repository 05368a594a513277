import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { standStill } from '@farebox/testing';
import { NoAnswerInTimeError, within } from './deadline';

const never = new Promise<never>(() => undefined);

it('returns the answer if it comes in time, and throws what the work throws', async () => {
  await expect(within(60_000, Promise.resolve(7))).resolves.toBe(7);
  await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('throws an error of its own if the answer does not come in time', async () => {
  await expect(within(20, never)).rejects.toThrow(new NoAnswerInTimeError(20));
});

it('returns an answer that came while the process itself stalled', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[peer]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [
    [Socket],
    [],
  ];
  try {
    const answered = once(client, 'data').then(String);
    const asked = within(20, answered);
    peer.write('answer');
    standStill(100);
    expect(await asked).toBe('answer');
  } finally {
    client.destroy();
    peer.destroy();
    server.close();
  }
});
