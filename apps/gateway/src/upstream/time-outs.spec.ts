import type { ServerResponse } from 'node:http';
import {
  askFor,
  clientOf,
  complete,
  startOwnUpstream,
  startSilentServer,
  stream,
  type OwnUpstream,
} from '../../test/own-upstream';
import type { UpstreamClient } from './upstream-client';

const SHORT_MS = 60;
/** Frequent enough not to count as silence. */
const BEAT_MS = 10;

let upstream: OwnUpstream;
let client: UpstreamClient;
afterEach(async () => {
  await upstream.close();
  await client.close();
});

function beginStream(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.write('data: {}\n\n');
}

describe('an upstream is abandoned', () => {
  it('that does not accept a connection in time; another may do better', async () => {
    upstream = await startSilentServer();
    client = clientOf(upstream.url, { connectTimeoutMs: SHORT_MS });
    expect(await complete(client)).toMatchObject({ kind: 'unavailable' });
    expect(upstream.asked()).toBe(1);
  });

  it('that does not send its first byte in time, even after its headers', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.flushHeaders();
    });
    client = clientOf(upstream.url, { firstByteTimeoutMs: SHORT_MS });
    expect(await complete(client)).toMatchObject({ kind: 'timeout' });
  });

  it('that falls silent in the middle of a stream', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      beginStream(res);
    });
    client = clientOf(upstream.url, { idleTimeoutMs: SHORT_MS });
    expect(await stream(client)).toMatchObject({ events: ['{}'], end: { kind: 'timeout' } });
  });

  it('that falls silent in the middle of a non-streamed answer', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.write('{"choices":');
    });
    client = clientOf(upstream.url, { idleTimeoutMs: SHORT_MS });
    expect(await complete(client)).toMatchObject({ kind: 'timeout' });
  });

  it('that falls silent after we have paused', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      beginStream(res);
    });
    client = clientOf(upstream.url, { idleTimeoutMs: SHORT_MS });
    const failure = await new Promise((resolve, reject) => {
      const call = client.stream(askFor(), {
        onData() {
          call.pause();
          setTimeout(() => {
            call.resume();
          }, BEAT_MS);
        },
        onEnd: reject,
        onFailure: resolve,
      });
    });
    expect(failure).toMatchObject({ kind: 'timeout' });
  });

  it('that goes on after its answer is complete', async () => {
    let isCut: Promise<unknown> = Promise.resolve();
    upstream = await startOwnUpstream((_req, res) => {
      isCut = new Promise((resolve) => res.once('close', resolve));
      beginStream(res);
    });
    client = clientOf(upstream.url);
    await new Promise<void>((resolve) => {
      const call = client.stream(askFor(), {
        onData() {
          call.settle();
          resolve();
        },
        onEnd: () => undefined,
        onFailure: () => undefined,
      });
    });
    await isCut;
  });

  it('that goes on after its answer is complete, if the rest arrived while we had paused', async () => {
    let isCut: Promise<unknown> = Promise.resolve();
    upstream = await startOwnUpstream((_req, res) => {
      isCut = new Promise((resolve) => res.once('close', resolve));
      // Sent together, so that the second event is read within `resume`.
      res.cork();
      beginStream(res);
      res.write('data: [DONE]\n\n');
      res.uncork();
    });
    client = clientOf(upstream.url);
    await new Promise<void>((resolve) => {
      const call = client.stream(askFor(), {
        onData(data) {
          if (data === '[DONE]') {
            call.settle();
            resolve();
            return;
          }
          call.pause();
          setTimeout(() => {
            call.resume();
          }, BEAT_MS);
        },
        onEnd: () => undefined,
        onFailure: () => undefined,
      });
    });
    await isCut;
  });

  it('that takes too long in total', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      beginStream(res);
      const beat = setInterval(() => res.write('data: {}\n\n'), BEAT_MS);
      res.on('close', () => {
        clearInterval(beat);
      });
    });
    client = clientOf(upstream.url, { totalTimeoutMs: 1_000 });
    const { events, end } = await stream(client);
    expect(end).toMatchObject({ kind: 'timeout' });
    expect(events.length).toBeGreaterThan(1);
  });
});

describe('an upstream is waited for', () => {
  /** Generous, because a busy machine may stall for part of it. */
  const IDLE_TIMEOUT_MS = 1_000;
  const LONGER_MS = 1_500;

  it('that thinks long before its first byte, and keeps a stream alive with comments', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      setTimeout(() => {
        beginStream(res);
        const beat = setInterval(() => res.write(': processing\n\n'), BEAT_MS);
        setTimeout(() => {
          clearInterval(beat);
          res.end('data: [DONE]\n\n');
        }, LONGER_MS);
      }, LONGER_MS);
    });
    client = clientOf(upstream.url, { idleTimeoutMs: IDLE_TIMEOUT_MS });
    expect(await stream(client)).toEqual({ events: ['{}', '[DONE]'], end: 'end' });
  });

  it('while we do not read', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      beginStream(res);
      setTimeout(() => res.end('data: [DONE]\n\n'), LONGER_MS);
    });
    client = clientOf(upstream.url, { idleTimeoutMs: IDLE_TIMEOUT_MS });
    const heard = await new Promise<unknown[]>((resolve) => {
      const events: unknown[] = [];
      const call = client.stream(askFor(), {
        onData(data) {
          events.push(data);
          if (events.length > 1) return;
          call.pause();
          setTimeout(() => {
            call.resume();
          }, LONGER_MS + BEAT_MS);
        },
        onEnd: () => {
          resolve(events);
        },
        onFailure: (failure) => {
          resolve([...events, failure]);
        },
      });
    });
    expect(heard).toEqual(['{}', '[DONE]']);
  });
});
