import { createRequestLog, type SimulatedUpstream, startSimulatedUpstream } from './server';
import type { ReceivedRequest } from './exchange';
import { chatBody, postChat, until } from '../test/client';

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

describe('the server', () => {
  let upstream: SimulatedUpstream;
  beforeAll(async () => {
    upstream = await startSimulatedUpstream({ apiKey: 'the-key', tokensPerSecond: 20 });
  });
  afterAll(() => upstream.close());
  const headers = { authorization: 'Bearer the-key' };

  it('refuses another key, or none', async () => {
    for (const other of [{ authorization: 'Bearer another' }, {}] as Record<string, string>[]) {
      const response = await postChat(upstream, chatBody('sim-echo'), { headers: other });
      expect(response.status).toBe(401);
      expect(((await response.json()) as ErrorBody).error.code).toBe('invalid_api_key');
    }
  });

  it('lists its models', async () => {
    const response = await fetch(`${upstream.url}/models`, { headers });
    const { data } = (await response.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['sim-echo', 'sim-stalls', 'sim-refuses-503']),
    );
  });

  it.each([
    ['{"model":', 400, null],
    [{ messages: [] }, 400, 'model'],
    [chatBody('sim-echo', { max_tokens: 0 }), 400, 'max_tokens'],
    [chatBody('sim-unknown'), 404, 'model'],
    [chatBody('sim-refuses-418'), 404, 'model'],
    [chatBody('constructor'), 404, 'model'],
    [chatBody('sim-slow-999999'), 404, 'model'],
  ])('refuses %j with %i', async (body, status, param) => {
    const response = await postChat(upstream, body, { headers });
    expect(response.status).toBe(status);
    expect(((await response.json()) as ErrorBody).error.param).toBe(param);
  });

  it('reports each request as it arrives', async () => {
    const told: unknown[] = [];
    const telling = await startSimulatedUpstream({ onRequest: ({ body }) => told.push(body) });
    for (const model of ['sim-echo', 'sim-closes'])
      await postChat(telling, chatBody(model)).catch(() => undefined);
    await telling.close();
    expect(told).toMatchObject([{ model: 'sim-echo' }, { model: 'sim-closes' }]);
  });

  it('knows no other URL', async () => {
    expect((await fetch(`${upstream.url}/embeddings`, { headers })).status).toBe(404);
  });

  it('refuses a body over 16 MiB', async () => {
    const response = await postChat(upstream, 'x'.repeat(17 * 1024 * 1024), { headers });
    expect(response.status).toBe(413);
  });

  it('lists received requests and their results', async () => {
    const body = chatBody('sim-small', { max_tokens: 6, user: 'u-1' });
    await (await postChat(upstream, body, { headers: { ...headers, 'x-test': '1' } })).text();
    await until(() => upstream.requests().at(-1)?.finished === true);
    expect(upstream.requests().at(-1)).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'x-test': '1' },
      body,
      tokensSent: 6,
      finished: true,
      aborted: false,
    });
  });

  it('lists that a client left, and at which token', async () => {
    const leave = new AbortController();
    const body = chatBody('sim-paced', { stream: true, user: 'leaves' });
    const response = await postChat(upstream, body, { headers, signal: leave.signal });
    const last = (): ReceivedRequest | undefined => upstream.requests().at(-1);
    await until(() => (last()?.tokensSent ?? 0) >= 3);
    leave.abort();
    await expect(response.text()).rejects.toThrow();
    await until(() => last()?.aborted === true);
    expect(last()).toMatchObject({ finished: false, body });
  });
});

describe('the pace', () => {
  let upstream: SimulatedUpstream;
  beforeAll(async () => {
    upstream = await startSimulatedUpstream({ tokensPerSecond: 1 });
  });
  afterAll(() => upstream.close());

  it('delays a sim-paced stream while others overtake it', async () => {
    const leave = new AbortController();
    await postChat(upstream, chatBody('sim-paced', { stream: true }), { signal: leave.signal });
    await (await postChat(upstream, chatBody('sim-small', { stream: true }))).text();
    const [paced, small] = upstream.requests();
    expect(paced).toMatchObject({ finished: false, aborted: false });
    expect(paced?.tokensSent).toBeLessThan(small?.tokensSent ?? 0);
    leave.abort();
  });

  it('does not delay a whole response', async () => {
    const response = await postChat(upstream, chatBody('sim-paced'));
    expect(await response.json()).toHaveProperty('choices');
  });
});

describe('a server that is closed', () => {
  it('cuts open connections and refuses new ones', async () => {
    const upstream = await startSimulatedUpstream();
    const response = await postChat(upstream, chatBody('sim-stalls', { stream: true }));
    await upstream.close();
    await expect(response.text()).rejects.toThrow();
    await expect(postChat(upstream, chatBody('sim-echo'))).rejects.toThrow();
  });

  it('reports why it cannot listen', async () => {
    const upstream = await startSimulatedUpstream();
    await expect(startSimulatedUpstream({ port: upstream.port })).rejects.toThrow('EADDRINUSE');
    await upstream.close();
  });
});

describe('the request log', () => {
  const received = (path: string): ReceivedRequest => ({
    method: 'POST',
    path,
    headers: {},
    body: undefined,
    tokensSent: 0,
    finished: false,
    aborted: false,
  });

  it('forgets the oldest beyond either bound', () => {
    const byCount = createRequestLog(2, 100);
    for (const path of ['/1', '/2', '/3']) byCount.add(received(path), 1);
    expect(byCount.list().map(({ path }) => path)).toEqual(['/2', '/3']);

    const byBytes = createRequestLog(10, 100);
    for (const path of ['/1', '/2', '/3']) byBytes.add(received(path), 60);
    expect(byBytes.list().map(({ path }) => path)).toEqual(['/3']);
  });
});
