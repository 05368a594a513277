import { request } from 'node:http';
import { chatCompletion } from '@farebox/api';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../../../test/gateway-harness';
import { errorOf, readStream } from '../../../test/read-stream';
import { answerOf, codeOf, givenRepeatingClient, isReplay } from '../../../test/repeating-client';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.close();
});
afterEach(async () => {
  await harness.expectSettled();
});

const upstreamCalls = (): number => harness.upstream.requests().length;

const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
const callsTool = { tools: [tool], tool_choice: { type: 'function', function: { name: 'weather' } } };

describe('a repeated request for a non-streamed answer', () => {
  it.each([
    ['text', 'echo', {}],
    ['three choices', 'echo', { n: 3 }],
    ['a tool call', 'echo', callsTool],
    ['usage that cannot be true', 'wrong-usage', { max_tokens: 5 }],
  ])('of %s gets the same bytes, free and without a model', async (_name, model, more) => {
    const client = await givenRepeatingClient(harness);
    const before = upstreamCalls();
    const first = await client.ask('once', model, more);
    const bytes = Buffer.from(await first.arrayBuffer());
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    chatCompletion.parse(JSON.parse(bytes.toString()));

    for (let again = 0; again < 3; again++) {
      const replay = await client.ask('once', model, more);
      expect([replay.status, isReplay(replay)]).toEqual([200, true]);
      expect(replay.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(Buffer.from(await replay.arrayBuffer()).equals(bytes)).toBe(true);
    }
    expect(upstreamCalls()).toBe(before + 1);
    expect(await client.entries('charge')).toBe(1);
  });

  it('runs and is charged again under another key, or under none', async () => {
    const client = await givenRepeatingClient(harness);
    const before = upstreamCalls();
    const responses = [
      await client.ask('first', 'echo'),
      await client.ask('second', 'echo'),
      await harness.complete(client.secret, 'echo'),
      await harness.complete(client.secret, 'echo'),
    ];
    expect(responses.map((response) => [response.status, isReplay(response)])).toEqual(
      Array.from({ length: 4 }, () => [200, false]),
    );
    expect(upstreamCalls()).toBe(before + 4);
    expect(await client.entries('charge')).toBe(4);
  });

  it('is independent of the same key under another API key', async () => {
    const [one, other] = [await givenRepeatingClient(harness), await givenRepeatingClient(harness)];
    const first = chatCompletion.parse(await (await one.ask('shared', 'echo')).json());
    const response = await other.ask('shared', 'echo');
    expect(isReplay(response)).toBe(false);
    expect(chatCompletion.parse(await response.json()).id).not.toBe(first.id);
    expect([await one.entries('charge'), await other.entries('charge')]).toEqual([1, 1]);
  });
});

describe('a repeated request for a stream', () => {
  it.each([
    ['text', 'echo', { max_tokens: 40 }],
    ['text and its usage', 'split', { max_tokens: 8, stream_options: { include_usage: true } }],
    ['three choices', 'echo', { n: 3, stream_options: { include_usage: true } }],
    ['a tool call', 'echo', { ...callsTool, stream_options: { include_usage: true } }],
    ['a long text', 'long', { max_tokens: 4_000, stream_options: { include_usage: true } }],
  ])('of %s gets the same stream, free and without a model', async (_name, model, more) => {
    const client = await givenRepeatingClient(harness);
    const before = upstreamCalls();
    const body = { stream: true, ...more };
    const first = await readStream(await client.ask('once', model, body));
    expect([first.cut, first.events.at(-1)]).toEqual([false, '[DONE]']);

    const response = await client.ask('once', model, body);
    expect([response.status, isReplay(response)]).toEqual([200, true]);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const replay = await readStream(response);
    expect([replay.cut, replay.events.at(-1)]).toEqual([false, '[DONE]']);
    expect(answerOf(replay.chunks)).toEqual(answerOf(first.chunks));
    expect(replay.chunks.at(-1)?.usage).toEqual(first.chunks.at(-1)?.usage);
    expect(replay.chunks.length).toBeLessThan(first.chunks.length);
    expect(upstreamCalls()).toBe(before + 1);
    expect(await client.entries('charge')).toBe(1);
  });

  it.each([
    ['breaks', 'service_unavailable'],
    ['error-midstream', 'service_unavailable'],
    ['garbage', 'service_unavailable'],
    ['stalls', 'upstream_timeout'],
  ])('that broke off because the upstream %s breaks off in the same way', async (model, code) => {
    const client = await givenRepeatingClient(harness);
    const before = upstreamCalls();
    const first = await readStream(await client.ask('once', model, { stream: true }));
    const response = await client.ask('once', model, { stream: true });
    const replay = await readStream(response);
    expect(isReplay(response)).toBe(true);
    expect([first.cut, replay.cut]).toEqual([true, true]);
    expect(replay.events).not.toContain('[DONE]');
    expect(errorOf(replay.events)).toMatchObject({ error: { code } });
    expect(errorOf(replay.events)).toEqual(errorOf(first.events));
    expect(replay.text).not.toBe('');
    expect(answerOf(replay.chunks)).toEqual(answerOf(first.chunks));
    expect(upstreamCalls()).toBe(before + 1);
    expect(await client.entries('charge')).toBe(1);
  });

  it('that the client left gives them what was delivered, and breaks off', async () => {
    const client = await givenRepeatingClient(harness);
    const going = new AbortController();
    const body = { stream: true, max_tokens: 1_000 };
    const left = await client.ask('once', 'paced', body, going.signal);
    const reader = left.body?.getReader();
    for (let i = 0; i < 6; i++) await reader?.read();
    going.abort();
    await harness.expectSettled();

    const replay = await readStream(await client.ask('once', 'paced', body));
    const { rows } = await harness.db.pool.query<{ outcome: string; completion_tokens: number }>(
      'SELECT outcome, completion_tokens FROM usage_record WHERE account_id = $1',
      [client.accountId],
    );
    expect(rows.map(({ outcome }) => outcome)).toEqual(['client_gone']);
    expect(replay.cut).toBe(true);
    expect(replay.text).not.toBe('');
    expect(errorOf(replay.events)).toMatchObject({ error: { code: 'service_unavailable' } });
  });
});

describe('an Idempotency-Key', () => {
  it.each([
    ['refuses-500', 503],
    ['refuses-400', 400],
    ['dead', 503],
  ])('of an uncharged request may be used again after the upstream %s', async (model, status) => {
    const client = await givenRepeatingClient(harness);
    expect((await client.ask('again', model)).status).toBe(status);
    await harness.expectSettled();
    expect((await client.ask('again', model)).status).toBe(status);
    await harness.expectSettled();
    expect((await client.ask('again', 'echo')).status).toBe(200);
    expect(await client.entries('charge')).toBe(1);
  });

  it('with another body conflicts, whether the first request is charged or in flight', async () => {
    const client = await givenRepeatingClient(harness);
    await client.ask('taken', 'echo');
    const conflict = await client.ask('taken', 'echo', { seed: 1 });
    expect([conflict.status, await codeOf(conflict)]).toEqual([409, 'idempotency_conflict']);
    expect(conflict.headers.get('x-should-retry')).toBe('false');

    const running = client.ask('running', 'slow-3000');
    await waitUntil(async () => (await client.holdId()) !== undefined, 'the first request is held');
    const other = await client.ask('running', 'echo');
    expect([other.status, await codeOf(other)]).toEqual([409, 'idempotency_conflict']);
    expect((await running).status).toBe(200);
  });

  it('of a request in flight gets an error that asks to wait', async () => {
    const client = await givenRepeatingClient(harness);
    const running = client.ask('running', 'slow-3000');
    await waitUntil(async () => (await client.holdId()) !== undefined, 'the first request is held');
    const early = await client.ask('running', 'slow-3000');
    expect([early.status, await codeOf(early)]).toEqual([409, 'idempotency_in_progress']);
    expect([early.headers.get('retry-after'), early.headers.get('x-should-retry')]).toEqual(['1', 'true']);
    expect((await running).status).toBe(200);
    expect(isReplay(await client.ask('running', 'slow-3000'))).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['of 256 characters', 'x'.repeat(256)],
    ['not of ASCII', 'clé'],
    ['with a tab', 'a\tb'],
  ])('that is %s is refused, and nothing runs', async (_name, key) => {
    const client = await givenRepeatingClient(harness);
    const before = upstreamCalls();
    const response = await client.ask(key, 'echo');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_request_error', param: 'Idempotency-Key' },
    });
    expect(upstreamCalls()).toBe(before);
  });

  it('beside a second one is refused', async () => {
    const { secret } = await givenRepeatingClient(harness);
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'Hello' }] });
      request(
        `${harness.url}/v1/chat/completions`,
        { method: 'POST', headers: { ...headers, 'idempotency-key': ['one', 'other'] } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      )
        .on('error', reject)
        .end(body);
    });
    expect(status).toBe(400);
  });
});
