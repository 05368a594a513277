import { createServer } from 'node:http';
import {
  askFor,
  clientOf,
  complete,
  startOwnUpstream,
  stream,
  type OwnUpstream,
} from '../../test/own-upstream';
import { UpstreamFailure } from './failure';
import { MAX_LINE_LENGTH } from './body-readers';
import { DEFAULT_UPSTREAM_LIMITS, type UpstreamClient } from './upstream-client';

let upstream: OwnUpstream;
let client: UpstreamClient;
afterEach(async () => {
  await upstream.close();
  await client.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };

it('an answer that ends with its connection may be paused while that end arrives', async () => {
  upstream = await startOwnUpstream((_req, res) => {
    // Sends neither a length nor chunks.
    res.useChunkedEncodingByDefault = false;
    res.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
    res.end('data: one\n\ndata: two\n\n');
  });
  client = clientOf(upstream.url);
  const events: string[] = [];
  const end = await new Promise((resolve) => {
    const call = client.stream(askFor('m', '{}'), {
      onData: (data) => {
        events.push(data);
        call.pause();
        setTimeout(() => {
          call.resume();
        }, 200);
      },
      onEnd: () => {
        resolve('end');
      },
      onFailure: resolve,
    });
  });
  expect({ events, end }).toEqual({ events: ['one', 'two'], end: 'end' });
});

describe('an upstream cannot', () => {
  it('send an endless answer', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      res.writeHead(200, JSON_TYPE);
      const send = (): void => {
        while (!res.destroyed && res.write(Buffer.alloc(16_384, ' ')));
      };
      res.on('drain', send);
      send();
    });
    client = clientOf(upstream.url, {}, { maxAnswerBytes: 100_000 });
    expect(await complete(client)).toMatchObject({
      kind: 'garbage',
      cause: expect.any(RangeError) as unknown,
    });
  });

  it.each([400, 503])('send an endless error under status %d', async (status) => {
    upstream = await startOwnUpstream((_req, res) => {
      res.writeHead(status, JSON_TYPE);
      const send = (): void => {
        while (!res.destroyed && res.write(Buffer.alloc(16_384, ' ')));
      };
      res.on('drain', send);
      send();
    });
    client = clientOf(upstream.url);
    expect(await complete(client)).toMatchObject({ status });
  });

  it('send an endless line of an event stream', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {}\n\ndata: ');
      res.write(Buffer.alloc(MAX_LINE_LENGTH + 1, 'x'));
    });
    client = clientOf(upstream.url);
    expect(await stream(client)).toMatchObject({ events: ['{}'], end: { kind: 'garbage' } });
  });

  it('send endless headers', async () => {
    upstream = await startOwnUpstream((_req, res) => {
      res.writeHead(200, { ...JSON_TYPE, 'x-long': 'x'.repeat(32_000) });
      res.end('{}');
    });
    client = clientOf(upstream.url);
    expect(await complete(client)).toMatchObject({ kind: 'unavailable' });
  });

  it.each([301, 302, 303, 307, 308])('redirect us with status %d', async (status) => {
    let elsewhere = 0;
    const other = createServer((_req, res) => {
      elsewhere++;
      res.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    upstream = await startOwnUpstream((_req, res) => {
      res.writeHead(status, { location: `http://127.0.0.1:${port}/v1/chat/completions` });
      res.end();
    });
    client = clientOf(upstream.url);
    expect(await complete(client)).toMatchObject({ kind: 'unavailable', status });
    expect([upstream.asked(), elsewhere]).toEqual([1, 0]);
    other.close();
  });
});

describe('an upstream at its limit of calls', () => {
  it('is not asked until one of them has ended', async () => {
    const waiting: (() => void)[] = [];
    upstream = await startOwnUpstream((_req, res) => {
      waiting.push(() => res.writeHead(200, JSON_TYPE).end('{}'));
    });
    client = clientOf(upstream.url, {}, { maxConcurrent: 2 });
    const running = [complete(client, 'a'), complete(client, 'b')];
    while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));

    expect(await complete(client, 'c')).toMatchObject({ kind: 'full', retryAfterMs: 1_000 });
    expect(upstream.asked()).toBe(2);
    waiting[0]?.();
    await Promise.race(running);
    const next = complete(client, 'c');
    while (waiting.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    for (const answer of waiting.slice(1)) answer();
    expect(await next).toEqual(Buffer.from('{}'));
  });
});

describe('a model of an upstream that fails repeatedly', () => {
  const PROBE = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 1 };
  const ANSWER = { choices: [{ index: 0, message: { content: 'H' }, finish_reason: 'length' }] };
  const circuit = { ...DEFAULT_UPSTREAM_LIMITS.circuit, failures: 3, firstPauseMs: 50, longestPauseMs: 50 };

  /** Returns 500 while it is down, also to probes, and always for the customers' requests. */
  async function givenServer({ isDown }: { isDown: boolean }): Promise<{ down: boolean; probes: unknown[] }> {
    const server = { down: isDown, probes: [] as unknown[] };
    upstream = await startOwnUpstream((req, res) => {
      let text = '';
      req.on('data', (part: Buffer) => (text += part.toString()));
      req.on('end', () => {
        const isProbe = text !== '{}';
        if (isProbe) server.probes.push(JSON.parse(text));
        res.writeHead(isProbe && !server.down ? 200 : 500, JSON_TYPE).end(JSON.stringify(ANSWER));
      });
    });
    client = clientOf(upstream.url, { maxTokensField: 'max_completion_tokens' }, { circuit });
    return server;
  }

  async function kindUntil(isSo: (kind: string) => boolean): Promise<void> {
    for (;;) {
      const failure = await complete(client);
      if (failure instanceof UpstreamFailure && isSo(failure.kind)) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  it('is paused if a probe fails too, and asked again when one succeeds', async () => {
    const server = await givenServer({ isDown: true });
    await kindUntil((kind) => kind === 'circuit_open');
    expect(server.probes[0]).toEqual(PROBE);
    expect(await complete(client, 'other')).toMatchObject({ kind: 'unavailable', status: 500 });

    server.down = false;
    await kindUntil((kind) => kind === 'unavailable');
  });

  it('is not paused if probes succeed', async () => {
    const server = await givenServer({ isDown: false });
    for (let failures = 0; failures < 12; failures++)
      expect(await complete(client)).toMatchObject({ kind: 'unavailable', status: 500 });
    expect(server.probes.length).toBeGreaterThan(0);
    expect(server.probes.length).toBeLessThanOrEqual(4);
  });

  it('does not delay the close of its client', async () => {
    upstream = await startOwnUpstream((req, res) => {
      if (req.headers['content-length'] === '2') res.writeHead(500, JSON_TYPE).end('{}');
    });
    client = clientOf(upstream.url, {}, { circuit });
    const isUp = client.watchHealth('m')();
    while (upstream.asked() < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    const closing = client;
    client = clientOf(upstream.url);
    await closing.close();
    expect(await isUp).toBe(false);
  });
});
