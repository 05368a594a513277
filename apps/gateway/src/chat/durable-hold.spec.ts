import { ApiError } from '@farebox/errors';
import { givenCompletion, settled } from '../../test/fake-completion';
import { scriptUpstream, turn } from '../../test/fake-upstream';
import { UpstreamFailure } from '../upstream/failure';
import { deliverStream } from './deliver-stream';
import { deliverWhole } from './deliver-whole';

/** A hold that the test makes durable, or lets fail. */
function aWait() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const durable = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  durable.catch(() => undefined);
  return { durable, resolve, reject };
}

describe('a stream whose hold is not on disk yet', () => {
  it('is requested at once, and nothing of it is sent before the hold is durable', async () => {
    const [upstream, wait] = [scriptUpstream(), aWait()];
    const { completion, seen } = givenCompletion({ routes: [upstream], durable: wait.durable });
    const delivered = settled(deliverStream, completion);
    expect(upstream.calls).toHaveLength(1);
    upstream.calls[0]?.say('Hel');
    upstream.calls[0]?.say('lo');
    await turn();
    expect(seen.chunks).toEqual([]);
    expect(upstream.calls[0]?.done).toEqual(['pause']);

    wait.resolve();
    await turn();
    expect(seen.chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual(['Hel', 'lo']);
    expect(upstream.calls[0]?.done).toEqual(['pause', 'resume']);
    upstream.calls[0]?.say('!');
    upstream.calls[0]?.finish();
    await delivered;
    expect(seen.charged).toEqual([expect.objectContaining({ completionTokens: 6, outcome: 'completed' })]);
  });

  it('that ended before is delivered whole once the hold is durable', async () => {
    const [upstream, wait] = [scriptUpstream(), aWait()];
    const { completion, seen } = givenCompletion({ routes: [upstream], durable: wait.durable });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('Hi');
    upstream.calls[0]?.finish();
    await turn();
    expect(seen).toMatchObject({ chunks: [], charged: [], ended: [] });
    wait.resolve();
    await delivered;
    expect(seen.chunks.map(({ choices }) => choices[0]?.delta.content).join('')).toBe('Hi');
    expect(seen).toMatchObject({ charged: [{ outcome: 'completed' }], released: 0 });
    expect(seen.ended).toHaveLength(1);
  });

  it('asks the next route at once if the first one fails before it sent anything', async () => {
    const [first, second, wait] = [scriptUpstream(), scriptUpstream(), aWait()];
    const { completion, seen } = givenCompletion({ routes: [first, second], durable: wait.durable });
    const delivered = settled(deliverStream, completion);
    first.calls[0]?.fail(new UpstreamFailure('unavailable'));
    second.calls[0]?.say('Hi');
    second.calls[0]?.finish();
    wait.resolve();
    await delivered;
    expect(seen.chunks.map(({ choices }) => choices[0]?.delta.content).join('')).toBe('Hi');
  });

  it('delivers the text before a failure first, however slow the disk is', async () => {
    const [first, second, wait] = [scriptUpstream(), scriptUpstream(), aWait()];
    const { completion, seen } = givenCompletion({ routes: [first, second], durable: wait.durable });
    const delivered = settled(deliverStream, completion);
    first.calls[0]?.say('Hi');
    first.calls[0]?.fail(new UpstreamFailure('unavailable'));
    await turn();
    expect(seen).toMatchObject({ chunks: [], failed: [] });
    wait.resolve();
    await delivered;
    expect(second.calls).toEqual([]);
    expect(seen.chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual(['Hi']);
    expect(seen.charged).toEqual([
      expect.objectContaining({ completionTokens: 2, outcome: 'upstream_failed' }),
    ]);
    expect(seen.failed).toHaveLength(1);
  });

  it('is cut and may be repeated if the hold does not become durable', async () => {
    const [upstream, wait] = [scriptUpstream(), aWait()];
    const { completion, seen } = givenCompletion({ routes: [upstream], durable: wait.durable });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('Hi');
    wait.reject(new ApiError('service_unavailable', { retryAfterSeconds: 1 }));
    await expect(delivered).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(upstream.calls[0]?.done).toEqual(['pause', 'abort']);
    expect(seen).toMatchObject({ chunks: [], charged: [], released: 1, failed: [] });
  });

  it('is free for a customer who leaves meanwhile', async () => {
    const [upstream, wait] = [scriptUpstream(), aWait()];
    const { completion, seen, going } = givenCompletion({ routes: [upstream], durable: wait.durable });
    const delivered = settled(deliverStream, completion);
    upstream.calls[0]?.say('Hi');
    going.abort();
    await delivered;
    wait.resolve();
    await turn();
    expect(seen).toMatchObject({ chunks: [], charged: [], abandoned: [{ promptTokens: 5 }] });
  });
});

describe.each([
  ['a stream', deliverStream],
  ['a response in one piece', deliverWhole],
])('%s whose hold the database has lost', (_name, deliver) => {
  it('is cut, costs nothing and may be repeated', async () => {
    const [upstream, wait, lost] = [scriptUpstream(), aWait(), new AbortController()];
    const { durable } = wait;
    const { completion, seen } = givenCompletion({ routes: [upstream], durable, lost: lost.signal });
    const delivered = settled(deliver, completion);
    expect(upstream.calls).toHaveLength(1);
    lost.abort();
    await expect(delivered).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    expect(upstream.calls[0]?.done).toEqual(['abort']);
    expect(seen).toMatchObject({ chunks: [], whole: [], charged: [], released: 1, failed: [], failures: [] });
  });

  it('is not requested if the database lost its hold before', async () => {
    const upstream = scriptUpstream();
    const { completion } = givenCompletion({ routes: [upstream], lost: AbortSignal.abort() });
    await expect(settled(deliver, completion)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(upstream.calls).toEqual([]);
  });
});
