import { waitUntil } from '@farebox/testing';
import { readAnswer } from './client-answer';
import { startClientFaultHarness, type ClientFaultHarness } from './client-fault-harness';
import { ask, type Asked, type FaultRequest } from './fault-request';
import { logOf, outcomeOf } from './request-outcome';

let harness: ClientFaultHarness;
beforeAll(async () => {
  harness = await startClientFaultHarness();
});
afterEach(async () => {
  await harness.proxy.heal();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** A request whose client leaves when the test says so. */
interface Leaving extends FaultRequest {
  leave: () => void;
}

async function begin(isReset: boolean, asked: Asked): Promise<Leaving> {
  const going = new AbortController();
  const request = await ask(harness, { ...asked, url: harness.proxyUrl, signal: going.signal });
  const leave = (): void => {
    if (isReset) harness.proxy.reset();
    else going.abort();
  };
  return { ...request, leave };
}

const upstreamRequests = (): number => harness.upstream.requests().length;

async function expectUpstreamLeft(): Promise<void> {
  await waitUntil(() => harness.upstream.requests().at(-1)?.aborted === true, 'the upstream call is aborted');
}

const WAYS = [
  { how: 'whose connection is reset', isReset: true },
  { how: 'who closes their connection', isReset: false },
];
const KINDS = WAYS.flatMap((way) => [
  { ...way, kind: 'a non-streamed answer', stream: false },
  { ...way, kind: 'a stream', stream: true },
]);

describe('nothing is held for a client', () => {
  const longBody = { messages: [{ role: 'user', content: 'zebras '.repeat(5_000) }] };

  it('whose connection is reset within their body', async () => {
    const before = upstreamRequests();
    harness.proxy.toTarget.set({ kind: 'reset', afterBytes: 5_000 });
    const request = await begin(true, { model: 'patient-echo', more: longBody });
    await expect(request.response).rejects.toThrow();
    expect(await outcomeOf(harness, request)).toEqual({ charge: 'never held', log: ['request_cut 200'] });
    expect(upstreamRequests()).toBe(before);
  });

  it('whose connection ends within their body', async () => {
    const before = upstreamRequests();
    harness.proxy.toTarget.set({ kind: 'truncate', afterBytes: 5_000 });
    const request = await begin(false, { model: 'patient-echo', more: longBody });
    // The client may still be reading.
    expect(await readAnswer(await request.response)).toMatchObject({
      status: 400,
      code: 'invalid_request_error',
    });
    expect(await outcomeOf(harness, request)).toEqual({ charge: 'never held', log: ['request_cut 200'] });
    expect(upstreamRequests()).toBe(before);
  });

  it.each(KINDS)('of $kind $how while their key is looked up', async ({ isReset, stream }) => {
    const before = upstreamRequests();
    const customer = await harness.givenKey();
    const locking = await harness.db.pool.connect();
    await locking.query('BEGIN; LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE');
    const request = await begin(isReset, { model: 'patient-echo', stream, customer });
    await waitUntil(async () => {
      const sql = `SELECT 1 FROM pg_locks WHERE relation = 'api_key'::regclass AND NOT granted`;
      return (await locking.query(sql)).rowCount === 1;
    }, 'the key is looked up');
    request.leave();
    await waitUntil(() => logOf(harness, request).length > 0, 'it is noticed that they went');
    await locking.query('ROLLBACK');
    locking.release();
    // A later request on the same path has overtaken it.
    const next = await ask(harness, { model: 'patient-echo', customer: await harness.givenKey() });
    expect((await next.response).status).toBe(200);
    expect(await outcomeOf(harness, request)).toEqual({ charge: 'never held', log: ['request_cut 200'] });
    expect(upstreamRequests()).toBe(before + 1);
  });
});

describe.each(KINDS)('a client $how', ({ isReset, stream }) => {
  it(`before the first part of ${stream ? 'a stream' : 'a non-streamed answer'} pays nothing`, async () => {
    const before = upstreamRequests();
    const request = await begin(isReset, { model: 'patient-slow-60000', stream });
    await waitUntil(() => upstreamRequests() > before, 'the upstream is asked');
    request.leave();
    await expect(request.response).rejects.toThrow();
    await expectUpstreamLeft();
    expect(await outcomeOf(harness, request)).toEqual({ charge: 'nothing', log: ['request_cut 200'] });
  });

  it(`in the middle of ${stream ? 'a stream pays what they got' : 'a non-streamed answer pays nothing'}`, async () => {
    const before = upstreamRequests();
    const request = await begin(isReset, { model: 'patient-stalls', stream, maxTokens: 50 });
    if (stream) await readEvents(await request.response, 5);
    else await waitUntil(() => upstreamRequests() > before, 'the upstream is asked');
    request.leave();
    await expectUpstreamLeft();
    const got = { tokens: 5, outcome: 'client_gone', estimated: true };
    expect(await outcomeOf(harness, request)).toEqual({
      charge: stream ? got : 'nothing',
      log: ['request_cut 200'],
    });
  });
});

/** Reads a stream until this many events with text have arrived, and leaves it open. */
async function readEvents(response: Response, count: number): Promise<void> {
  const reader = response.body?.getReader();
  let text = '';
  while ((text.match(/"content":"[^"]/g)?.length ?? 0) < count) {
    const part = await reader?.read();
    if (!part || part.done) throw new Error(`the stream ended after ${text}`);
    text += Buffer.from(part.value).toString();
  }
}
