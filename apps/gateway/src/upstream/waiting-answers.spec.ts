import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@farebox/testing';
import { askFor, clientOf, startOwnUpstream, type OwnUpstream } from '../../test/own-upstream';
import type { UpstreamClient } from './upstream-client';

const PART = Buffer.alloc(1024 * 1024, 'x');
/** More than the connection's buffers can store. */
const PARTS = 24;

let server: OwnUpstream;
let client: UpstreamClient;
/** Bytes of the response that the server could not send yet. */
let unsent: () => number;
beforeAll(async () => {
  server = await startOwnUpstream((req, res) => {
    const isCut = req.url?.startsWith('/v1/cut/');
    const length = String(PART.length * PARTS);
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
    for (let i = 0; i < PARTS - (isCut ? 1 : 0); i++) res.write(PART);
    unsent = () => res.writableLength;
    if (isCut) setTimeout(() => req.socket.destroy(), 200);
    else res.end();
  });
  client = clientOf(server.url, { idleTimeoutMs: 2_000 });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

it('a long answer stays with its upstream until it has a place, however long that takes', async () => {
  let enter: () => void = () => undefined;
  let asked = 0;
  const answered = new Promise<number>((resolve, reject) =>
    client.complete(askFor(), {
      onLong() {
        asked++;
        return new Promise((entered) => (enter = entered));
      },
      onAnswer: ({ length }) => {
        resolve(length);
      },
      onFailure: reject,
    }),
  );
  await waitUntil(() => asked === 1, 'the answer turns out to be long');
  // Longer than the idle time-out of its upstream: this silence is our own.
  await sleep(3_000);
  expect(unsent()).toBeGreaterThan(PART.length);
  enter();
  expect(await answered).toBe(PART.length * PARTS);
  expect(asked).toBe(1);
});

it('a waiting answer that is cut off fails when it is resumed', async () => {
  const cut = clientOf(`${server.url}/cut`);
  const failure = new Promise((resolve) =>
    cut.complete(askFor(), { onLong: () => sleep(500), onAnswer: resolve, onFailure: resolve }),
  );
  expect(await failure).toMatchObject({ kind: 'unavailable' });
  await cut.close();
});
