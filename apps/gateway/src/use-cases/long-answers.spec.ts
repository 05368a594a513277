import type { ChatCompletionChunk } from '@farebox/contracts';
import type { ApiError } from '@farebox/errors';
import type { UpstreamClient } from '../upstream/upstream-client';
import { givenCompletion, givenUpstream, settled } from './completion.stand';
import { deliverStream } from './deliver-stream';
import { deliverWhole } from './deliver-whole';
import { LONGEST_KEPT } from './kept-answer';

const CHUNK = 'x'.repeat(500_000);
const CHUNKS_OVER_THE_LIMIT = Math.ceil(LONGEST_KEPT / CHUNK.length) + 1;

const noCall = {
  abort: () => undefined,
  settle: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

/** An upstream whose answers are longer than what is kept. */
const verbose: UpstreamClient = {
  upstream: givenUpstream,
  complete(_ask, sink) {
    const message = { role: 'assistant', content: CHUNK.repeat(CHUNKS_OVER_THE_LIMIT) };
    const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
    queueMicrotask(() => {
      sink.onAnswer(Buffer.from(JSON.stringify(answer)));
    });
    return noCall;
  },
  stream(_ask, sink) {
    const event = (delta: object, finish_reason: string | null): string =>
      JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] });
    queueMicrotask(() => {
      for (let i = 0; i < CHUNKS_OVER_THE_LIMIT; i++) sink.onData(event({ content: CHUNK }, null));
      sink.onData(event({}, 'stop'));
      sink.onData('[DONE]');
      sink.onEnd();
    });
    return noCall;
  },
  mayRepeat: () => true,
  watchHealth: () => () => Promise.resolve(true),
  close: () => Promise.resolve(),
};

function completionWith({ keepsAnswer }: { keepsAnswer: boolean }) {
  const given = givenCompletion({ routes: [verbose], keepsAnswer });
  const plan = { ...given.completion.plan, maxOutputTokens: 2 * LONGEST_KEPT };
  return { ...given, completion: { ...given.completion, plan } };
}

const tooLong = expect.objectContaining({
  code: 'invalid_request_error',
  param: 'Idempotency-Key',
}) as ApiError;

const sentLength = (chunks: readonly ChatCompletionChunk[]): number =>
  chunks.reduce((sum, { choices }) => sum + (choices[0]?.delta.content?.length ?? 0), 0);

describe('an answer that is too long to be kept', () => {
  it('is not given in one piece, and not charged', async () => {
    const { completion, seen } = completionWith({ keepsAnswer: true });
    await expect(settled(deliverWhole, completion)).rejects.toEqual(tooLong);
    expect(seen).toMatchObject({ kept: [], released: 1, whole: [] });
  });

  it('is cut where it is a stream, and what was delivered is kept and charged', async () => {
    const { completion, seen } = completionWith({ keepsAnswer: true });
    await settled(deliverStream, completion);
    expect(seen).toMatchObject({ failed: [tooLong], ended: [] });
    const [kept] = seen.kept;
    const choices = kept?.kind === 'stream' ? kept.choices : [];
    const length = choices.reduce((sum, { delta }) => sum + (delta.content?.length ?? 0), 0);
    expect(length).toBe(sentLength(seen.chunks));
    expect(length).toBeLessThanOrEqual(LONGEST_KEPT);
    expect(length).toBeGreaterThan(LONGEST_KEPT - CHUNK.length);
    expect(kept).toMatchObject({ end: { kind: 'failed', error: { code: 'invalid_request_error' } } });
  });

  it('is given where nobody wants to repeat it', async () => {
    const whole = completionWith({ keepsAnswer: false });
    await settled(deliverWhole, whole.completion);
    const stream = completionWith({ keepsAnswer: false });
    await settled(deliverStream, stream.completion);
    expect(whole.seen.whole[0]?.length).toBeGreaterThan(LONGEST_KEPT);
    expect(sentLength(stream.seen.chunks)).toBe(CHUNK.length * CHUNKS_OVER_THE_LIMIT);
    expect(stream.seen).toMatchObject({ failed: [], ended: [undefined] });
  });
});
