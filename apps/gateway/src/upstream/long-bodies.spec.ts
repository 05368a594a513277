import { buffer } from 'node:stream/consumers';
import { garbageCollector, waitUntil } from '@farebox/testing';
import { askFor, clientOf, complete, startOwnUpstream, type OwnUpstream } from '../../test/own-upstream';
import type { UpstreamClient } from './upstream-client';

const EVENT = 'data: {"choices":[]}\n\n';
/** Each of its characters takes two bytes. */
const LONG_TEXT = JSON.stringify({ prompt: 'é'.repeat(10_000) });
const CALLS = 10;

interface Received {
  bytes: Buffer;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  port: number | undefined;
}

const received: Received[] = [];
let server: OwnUpstream;
let client: UpstreamClient;
beforeAll(async () => {
  server = await startOwnUpstream((req, res) => {
    if (req.url?.startsWith('/v1/cut/')) {
      req.socket.destroy();
      return;
    }
    void buffer(req).then((bytes) => {
      const { 'content-length': contentLength, 'transfer-encoding': transferEncoding } = req.headers;
      received.push({ bytes, contentLength, transferEncoding, port: req.socket.remotePort });
      if (req.url?.startsWith('/v1/open/')) {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(EVENT);
      } else {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end('{}');
      }
    });
  });
  client = clientOf(server.url);
});
afterAll(async () => {
  await client.close();
  await server.close();
});

it('sends a long body unchanged, with its length, and reuses connections', async () => {
  for (let i = 0; i < CALLS; i++) expect(await complete(client, 'm', LONG_TEXT)).toBeInstanceOf(Buffer);
  const length = String(Buffer.byteLength(LONG_TEXT));
  for (const { bytes, contentLength, transferEncoding } of received) {
    expect(bytes.toString()).toBe(LONG_TEXT);
    expect([contentLength, transferEncoding]).toEqual([length, undefined]);
  }
  expect(new Set(received.map(({ port }) => port)).size).toBeLessThan(CALLS);
});

it('fails as any other call does if the server closes the connection before it reads a long body', async () => {
  const cut = clientOf(`${server.url}/cut`);
  expect(await complete(cut, 'm', LONG_TEXT)).toMatchObject({ kind: 'unavailable' });
  await cut.close();
});

it('frees a long body once it is written, however long its stream takes', async () => {
  const collect = garbageCollector();
  const ofOpenStreams = clientOf(`${server.url}/open`);
  const { body, call, begun } = openStream(ofOpenStreams);
  await begun;

  await waitUntil(() => {
    collect();
    return body.deref() === undefined;
  }, 'the body is collected');
  expect(received.at(-1)?.bytes.equals(Buffer.alloc(100_000, 1))).toBe(true);

  call.abort();
  await ofOpenStreams.close();
});

/** Kept out of the test itself, which would keep a reference to the body. */
function openStream(by: UpstreamClient) {
  const body = Buffer.alloc(100_000, 1);
  let begin!: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const sink = { onData: begin, onEnd: () => undefined, onFailure: () => undefined };
  return { body: new WeakRef(body), begun, call: by.stream({ ...askFor(), body: [body] }, sink) };
}
