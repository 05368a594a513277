import { ApiError } from '@farebox/errors';
import { givenCompletion, settled } from '../../test/fake-completion';
import { scriptUpstream, turn } from '../../test/fake-upstream';
import { UpstreamFailure } from '../upstream/failure';
import { deliverStream } from './deliver-stream';
import { deliverWhole } from './deliver-whole';

const usage = { prompt_tokens: 7, completion_tokens: 3 };

describe('the end of a stream', () => {
  it('is held back, with its usage, until the charge is recorded', async () => {
    const upstream = scriptUpstream();
    let record: () => void = () => undefined;
    const charging = (): Promise<void> => new Promise((resolve) => (record = resolve));
    const { completion, seen } = givenCompletion({ routes: [upstream], wantsUsage: true, charging });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('Hi');
    upstream.calls[0]?.finish(usage);
    await turn();
    expect(seen.chunks.every((chunk) => chunk.usage === null)).toBe(true);
    expect(seen).toMatchObject({ charged: [], ended: [], failed: [] });

    record();
    await delivered;
    expect(seen.charged).toEqual([
      expect.objectContaining({ promptTokens: 7, completionTokens: 3, outcome: 'completed' }),
    ]);
    expect(seen.ended).toEqual([
      expect.objectContaining({ usage: expect.objectContaining(usage) as unknown }),
    ]);
    expect(upstream.calls[0]?.done).toEqual(['settle']);
  });

  it('is an error, without usage, if the charge cannot be recorded', async () => {
    const upstream = scriptUpstream();
    const charging = (): Promise<void> => Promise.reject(new ApiError('billing_error'));
    const { completion, seen } = givenCompletion({ routes: [upstream], charging });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('Hi');
    upstream.calls[0]?.finish(usage);
    await delivered;
    expect(seen).toMatchObject({ failed: [{ code: 'billing_error' }], ended: [], released: 0 });
  });
});

it('keeps the bytes of its body until no other route can be asked', async () => {
  const [failing, answering] = [scriptUpstream(), scriptUpstream()];
  const { completion } = givenCompletion({ routes: [failing, answering] });
  const forgetBytes = jest.fn();
  const delivered = settled(deliverStream, { ...completion, forgetBytes });
  failing.calls[0]?.fail(new UpstreamFailure('unavailable'));
  await turn();
  expect(forgetBytes).not.toHaveBeenCalled();
  answering.calls[0]?.say('Hi');
  expect(forgetBytes).toHaveBeenCalled();
  answering.calls[0]?.finish(usage);
  await delivered;
});

describe('a customer who leaves', () => {
  it('pays for what was delivered if the upstream reports no usage', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, going } = givenCompletion({ routes: [upstream] });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('12345');
    going.abort();
    upstream.calls[0]?.say('too late');
    upstream.calls[0]?.fail(new UpstreamFailure('unavailable'));
    await delivered;
    expect(seen.charged).toEqual([
      expect.objectContaining({ promptTokens: 5, completionTokens: 5, outcome: 'client_gone' }),
    ]);
    expect(seen.chunks).toHaveLength(1);
  });

  it.each([
    ['at the last word pays for all that was thought before it', '', 10, 6],
    ['in the middle pays for half of it', '12345', 5, 3],
  ])('%s, as the upstream reports it', async (_when, rest, completionTokens, reasoningTokens) => {
    const upstream = scriptUpstream();
    const { completion, seen, going } = givenCompletion({ routes: [upstream] });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('12345');
    going.abort();
    if (rest !== '') upstream.calls[0]?.say(rest);
    upstream.calls[0]?.finish({
      ...{ prompt_tokens: 7, completion_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 6 },
    });
    await delivered;
    const [charge] = seen.charged;
    expect(charge).toMatchObject({
      promptTokens: 7,
      completionTokens,
      reasoningTokens,
      outcome: 'client_gone',
    });
    expect(upstream.calls[0]?.done).toEqual(['resume', 'settle']);
    expect(seen.chunks).toHaveLength(1);
  });

  it('pays at least for what was delivered, however much the upstream wrote afterwards', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, going } = givenCompletion({ routes: [upstream] });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('12345');
    going.abort();
    upstream.calls[0]?.say(' '.repeat(4_000));
    upstream.calls[0]?.finish({ prompt_tokens: 7, completion_tokens: 6 });
    await delivered;
    expect(seen.charged).toEqual([expect.objectContaining({ completionTokens: 5 })]);
  });

  it('makes the service read the upstream for as much text as was delivered, and no more', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, going } = givenCompletion({ routes: [upstream] });
    const plan = { ...completion.plan, maxOutputTokens: 100_000 };
    const delivered = settled(deliverStream, { ...completion, plan });
    upstream.calls[0]?.say('x'.repeat(8_000));
    going.abort();
    upstream.calls[0]?.say('y'.repeat(8_000));
    expect(upstream.calls[0]?.done).toEqual(['resume']);
    upstream.calls[0]?.say('z');
    expect(upstream.calls[0]?.done).toEqual(['resume', 'abort']);
    await delivered;
    expect(seen.charged).toEqual([
      expect.objectContaining({ promptTokens: 5, completionTokens: 8_000, outcome: 'client_gone' }),
    ]);
  });

  it('makes the service read the upstream for some seconds, and no longer', async () => {
    jest.useFakeTimers();
    try {
      const upstream = scriptUpstream();
      const { completion, seen, going } = givenCompletion({ routes: [upstream] });
      const delivered = settled(deliverStream, completion);
      upstream.calls[0]?.say('12345');
      going.abort();
      jest.advanceTimersByTime(9_999);
      expect(upstream.calls[0]?.done).toEqual(['resume']);
      jest.advanceTimersByTime(1);
      expect(upstream.calls[0]?.done).toEqual(['resume', 'abort']);
      await delivered;
      expect(seen.charged).toEqual([expect.objectContaining({ completionTokens: 5 })]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not delay a process that must end', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, going, shutdown } = givenCompletion({ routes: [upstream] });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('12345');
    going.abort();
    shutdown.abort();
    expect(upstream.calls[0]?.done).toEqual(['resume', 'abort']);
    await delivered;
    expect(seen.charged).toEqual([expect.objectContaining({ completionTokens: 5, outcome: 'client_gone' })]);
  });

  it('before anything was delivered pays nothing, no further route is asked, and the prompt is recorded', async () => {
    const [first, second] = [scriptUpstream(), scriptUpstream()];
    const { completion, seen, going } = givenCompletion({ routes: [first, second] });
    const delivered = settled(deliverStream, completion);
    going.abort();
    first.calls[0]?.fail(new UpstreamFailure('unavailable'));
    await delivered;
    expect(first.calls[0]?.done).toEqual(['abort']);
    expect(second.calls).toEqual([]);
    expect(seen).toMatchObject({
      ...{ charged: [], released: 0 },
      abandoned: [{ promptTokens: 5, completionTokens: 0 }],
    });
  });

  it('long after the request, before anything was delivered, is recorded with an estimate of the reasoning', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, going } = givenCompletion({ routes: [upstream], askedForMs: 2_000 });
    const plan = { ...completion.plan, maxOutputTokens: 400, choices: 2 };
    const delivered = settled(deliverStream, { ...completion, plan });
    going.abort();
    await delivered;
    expect(seen.abandoned).toEqual([{ promptTokens: 5, completionTokens: 500 }]);
  });

  it('pays for delivered sealed reasoning, which a later request may continue', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, going } = givenCompletion({ routes: [upstream] });
    const delivered = settled(deliverStream, completion);
    const details = [{ type: 'reasoning.encrypted', data: 'c2VhbA==' }];
    const delta = { reasoning_details: details };
    upstream.calls[0]?.event(JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] }));
    going.abort();
    upstream.calls[0]?.finish({ prompt_tokens: 7, completion_tokens: 9 });
    await delivered;
    expect(seen).toMatchObject({
      abandoned: [],
      charged: [{ promptTokens: 7, completionTokens: 9, outcome: 'client_gone' }],
    });
  });

  it('is recorded as unpaid before the charge, without a gap between the two', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, going } = givenCompletion({ routes: [upstream] });
    const chargesAtCounts: number[] = [];
    const countTexts = (): Promise<number> => {
      chargesAtCounts.push(seen.charged.length);
      return Promise.resolve(1);
    };
    const plan = { ...completion.plan, choices: 2 };
    const delivered = settled(deliverStream, { ...completion, plan, countTexts });
    const say = (index: number, finish_reason: string | null): void => {
      const choice = { index, delta: { content: 'word' }, finish_reason };
      upstream.calls[0]?.event(JSON.stringify({ choices: [choice] }));
    };
    for (const index of [0, 1]) say(index, null);
    await turn();
    going.abort();
    for (const index of [0, 1]) say(index, 'stop');
    upstream.calls[0]?.event(
      JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9 } }),
    );
    upstream.calls[0]?.event('[DONE]');
    await delivered;
    expect([seen.charged.length, seen.unpaid.length]).toEqual([1, 1]);
    expect(chargesAtCounts.length).toBeGreaterThan(0);
    expect(new Set(chargesAtCounts)).toEqual(new Set([0]));
  });

  it('is recorded with the usage that the upstream reported, however fast it generated', async () => {
    const upstream = scriptUpstream();
    const given = givenCompletion({ routes: [upstream], client: { sendChunk: () => true }, askedForMs: 4 });
    const delivered = settled(deliverStream, given.completion);
    upstream.calls[0]?.say('12345');
    upstream.calls[0]?.event(
      JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9 } }),
    );
    given.going.abort();
    await delivered;
    expect(given.seen).toMatchObject({ charged: [], abandoned: [{ promptTokens: 7, completionTokens: 9 }] });
  });

  it('pays nothing for output that was sent but not taken by their connection', async () => {
    const upstream = scriptUpstream();
    const given = givenCompletion({ routes: [upstream], client: { sendChunk: () => true } });
    const delivered = settled(deliverStream, given.completion);
    upstream.calls[0]?.say('12345');
    given.going.abort();
    await delivered;
    expect(given.seen).toMatchObject({ charged: [], abandoned: [{ promptTokens: 5 }] });
  });

  it('keeps their stream if they only read slowly, and the upstream waits', async () => {
    const upstream = scriptUpstream();
    let drain: () => void = () => undefined;
    const client = {
      sendChunk: () => false,
      onDrained: (listener: () => void) => {
        drain = listener;
      },
    };
    const { completion, going } = givenCompletion({ routes: [upstream], client });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('Hi');
    drain();
    expect(upstream.calls[0]?.done).toEqual(['pause', 'resume']);
    going.abort();
    await delivered;
  });
});

describe('an upstream that fails while its last words are counted', () => {
  it('has them delivered and charged with the rest', async () => {
    const upstream = scriptUpstream();
    const { completion, seen } = givenCompletion({ routes: [upstream] });
    let count: () => void = () => undefined;
    let countsBegun = 0;
    const counted = new Promise<void>((resolve) => (count = resolve));
    const countTexts = async (texts: readonly string[]): Promise<number> => {
      countsBegun++;
      await counted;
      return texts.join('').length;
    };
    const delivered = settled(deliverStream, { ...completion, countTexts });
    upstream.calls[0]?.say('1234');
    // More bytes than the 20 tokens that are left, for a tokenizer that may not be the model's.
    upstream.calls[0]?.say('漢字漢字漢字');
    upstream.calls[0]?.fail(new UpstreamFailure('unavailable'));
    await turn();
    expect(countsBegun).toBeGreaterThan(0);
    expect(seen).toMatchObject({ charged: [], failed: [] });
    count();
    await delivered;
    expect(seen.chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual(['1234', '漢字漢字漢字']);
    expect(seen.charged).toEqual([
      expect.objectContaining({ completionTokens: 10, outcome: 'upstream_failed' }),
    ]);
    expect(seen.failed).toHaveLength(1);
  });
});

describe('a customer who leaves while the last words of a stream are counted', () => {
  it('pays at once for what was delivered, because there is nothing left to read', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, going } = givenCompletion({ routes: [upstream] });
    const countTexts = (): Promise<number> => new Promise(() => undefined);
    const delivered = settled(deliverStream, { ...completion, countTexts });
    upstream.calls[0]?.say('1234');
    upstream.calls[0]?.say('漢字漢字漢字');
    upstream.calls[0]?.finish();
    expect(seen.charged).toEqual([]);
    going.abort();
    for (let i = 0; i < 5; i++) await turn();
    expect(seen.charged).toEqual([expect.objectContaining({ completionTokens: 4, outcome: 'client_gone' })]);
    await delivered;
  });
});

describe('a process that must end', () => {
  it('reports that in the stream, once the delivered part is charged', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, shutdown } = givenCompletion({ routes: [upstream] });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('12345');
    shutdown.abort();
    await delivered;
    expect(upstream.calls[0]?.done).toEqual(['abort']);
    expect(seen.charged).toEqual([expect.objectContaining({ completionTokens: 5, outcome: 'shutdown' })]);
    expect(seen.failed).toEqual([expect.objectContaining({ code: 'service_unavailable' })]);
  });

  it('refuses a stream that has not begun like any other request, free of charge', async () => {
    const upstream = scriptUpstream();
    const { completion, seen, shutdown } = givenCompletion({ routes: [upstream] });
    const delivered = settled(deliverStream, completion);
    shutdown.abort();
    await expect(delivered).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(seen).toMatchObject({ charged: [], released: 1, failed: [] });
  });
});

describe('an account that is suspended', () => {
  it('gets the end of its stream as an error, once the delivered part is charged', async () => {
    const upstream = scriptUpstream();
    const barred = new AbortController();
    const { completion, seen } = givenCompletion({ routes: [upstream], barred: barred.signal });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('12345');
    barred.abort();
    await delivered;
    expect(upstream.calls[0]?.done).toEqual(['abort']);
    expect(seen.charged).toEqual([expect.objectContaining({ completionTokens: 5, outcome: 'suspended' })]);
    expect(seen.failed).toEqual([expect.objectContaining({ code: 'beta_access_required' })]);
  });

  it('gets an answer in one piece no more, free of charge', async () => {
    const upstream = scriptUpstream();
    const barred = new AbortController();
    const { completion, seen } = givenCompletion({ routes: [upstream], barred: barred.signal });
    const delivered = settled(deliverWhole, completion);
    barred.abort();
    await expect(delivered).rejects.toMatchObject({ code: 'beta_access_required' });
    expect(upstream.calls[0]?.done).toEqual(['abort']);
    expect(seen).toMatchObject({ charged: [], released: 1, whole: [] });
  });

  it('gets no stream that was admitted just before and has asked no upstream', async () => {
    const upstream = scriptUpstream();
    const { completion } = givenCompletion({ routes: [upstream], barred: AbortSignal.abort() });
    await expect(settled(deliverStream, completion)).rejects.toMatchObject({ code: 'beta_access_required' });
    expect(upstream.calls).toEqual([]);
  });
});

describe('the routes of a stream', () => {
  it('are asked one after the other until the first piece was sent, and not after it', async () => {
    const routes = [scriptUpstream(), scriptUpstream(), scriptUpstream()];
    const { completion, seen } = givenCompletion({ routes });
    const delivered = settled(deliverStream, completion);
    routes[0]?.calls[0]?.fail(new UpstreamFailure('circuit_open', { retryAfterMs: 3_000 }));
    routes[1]?.calls[0]?.say('Hi');
    routes[0]?.calls[0]?.say('not listened to');
    routes[1]?.calls[0]?.fail(new UpstreamFailure('unavailable'));
    await delivered;
    expect(routes.map(({ calls }) => calls.length)).toEqual([1, 1, 0]);
    expect(seen.chunks).toHaveLength(1);
    expect(seen.failures.map(({ kind }) => kind)).toEqual(['circuit_open', 'unavailable']);
    expect(seen).toMatchObject({
      failed: [{ code: 'service_unavailable' }],
      charged: [{ completionTokens: 2 }],
    });
  });

  it('are still asked after a piece that only names the role, which is sent once, before the first text', async () => {
    const [first, second] = [scriptUpstream(), scriptUpstream()];
    const { completion, seen } = givenCompletion({ routes: [first, second] });
    const delivered = deliverStream(completion);
    const role = JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] });
    first.calls[0]?.event(role);
    first.calls[0]?.fail(new UpstreamFailure('unavailable'));
    second.calls[0]?.event(role);
    second.calls[0]?.event(role);
    expect(seen.chunks).toEqual([]);
    second.calls[0]?.say('Hi');
    second.calls[0]?.finish(usage);
    await delivered;
    expect(seen.chunks.map(({ choices: [choice] }) => choice?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Hi' },
      {},
    ]);
    expect(seen.ended).toHaveLength(1);
  });

  it('count only the usage that the responding one has reported', async () => {
    const [first, second] = [scriptUpstream(), scriptUpstream()];
    const { completion, seen } = givenCompletion({ routes: [first, second] });
    const delivered = deliverStream(completion);
    first.calls[0]?.event(
      JSON.stringify({ choices: [], usage: { prompt_tokens: 900, completion_tokens: 9 } }),
    );
    first.calls[0]?.fail(new UpstreamFailure('unavailable'));
    second.calls[0]?.say('Hi');
    second.calls[0]?.finish();
    await delivered;
    expect(seen.charged).toEqual([expect.objectContaining({ completionTokens: 2, estimated: true })]);
  });

  it('that are all unavailable lead to 503, with the time when the first of them is asked again', async () => {
    const routes = [scriptUpstream(), scriptUpstream()];
    const { completion, seen } = givenCompletion({ routes });
    const delivered = settled(deliverStream, completion);
    routes[0]?.calls[0]?.fail(new UpstreamFailure('circuit_open', { retryAfterMs: 8_100 }));
    routes[1]?.calls[0]?.fail(new UpstreamFailure('circuit_open', { retryAfterMs: 30_000 }));
    await expect(delivered).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 9 });
    expect(seen).toMatchObject({ charged: [], released: 1 });
  });
});

describe('a stream in which this code itself fails', () => {
  it.each(['while it counts', 'while it begins an attempt'])(
    '%s ends, with its call, and is charged or released',
    async (when) => {
      const upstream = scriptUpstream();
      const given = givenCompletion({ routes: [upstream] });
      const broken = new Error('ours');
      const completion = {
        ...given.completion,
        ...(when === 'while it counts'
          ? {
              countUsage: () => Promise.reject(broken),
            }
          : {
              beginAttempt: () => ({
                answered: () => undefined,
                left: () => undefined,
                close: () => undefined,
                failed: () => {
                  throw broken;
                },
              }),
            }),
      };
      const delivered = settled(deliverStream, completion);
      upstream.calls[0]?.say('12345');
      if (when === 'while it counts') upstream.calls[0]?.finish();
      else upstream.calls[0]?.fail(new UpstreamFailure('unavailable'));
      await delivered.catch(() => undefined);
      expect(given.seen.failed).toEqual([expect.objectContaining({ code: 'internal_error' })]);
      expect(given.seen.released + given.seen.charged.length).toBe(1);
      expect(upstream.calls[0]?.done).toEqual([when === 'while it counts' ? 'settle' : 'abort']);
    },
  );

  it('before it has begun is answered like any other request, released, and its call is ended', async () => {
    const upstream = scriptUpstream();
    const given = givenCompletion({
      routes: [upstream],
      client: {
        onDrained: () => {
          throw new Error('ours');
        },
      },
    });
    await expect(settled(deliverStream, given.completion)).rejects.toThrow('ours');
    expect(given.seen).toMatchObject({ charged: [], released: 1, failed: [] });
  });

  it('on the way to its customer is not counted against the upstream: no other is asked, and the error is rethrown', async () => {
    const [first, second] = [scriptUpstream(), scriptUpstream()];
    const broken = new Error('ours');
    const given = givenCompletion({
      routes: [first, second],
      client: {
        sendChunk: () => {
          throw broken;
        },
      },
    });
    const delivered = settled(deliverStream, given.completion);
    first.calls[0]?.say('12345');
    await expect(delivered).rejects.toBe(broken);
    expect(first.calls[0]?.done).toEqual(['abort']);
    expect(second.calls).toEqual([]);
    expect(given.seen).toMatchObject({
      failures: [],
      failed: [{ code: 'internal_error' }],
      charged: [],
      released: 1,
    });
  });

  it('while it is charged reports that once, and rethrows the error', async () => {
    const upstream = scriptUpstream();
    const broken = new TypeError('ours');
    const charging = (): Promise<void> => Promise.reject(broken);
    const given = givenCompletion({ routes: [upstream], charging });
    const delivered = settled(deliverStream, given.completion);
    upstream.calls[0]?.say('Hi');
    upstream.calls[0]?.finish(usage);
    await expect(delivered).rejects.toBe(broken);
    expect(given.seen).toMatchObject({ failed: [{ code: 'internal_error' }], ended: [] });
  });
});
