import { turnsBeside } from '@farebox/testing';
import type { ChatCompletionChunk } from '@farebox/api';
import { givenCompletion, givenUpstream, settled } from '../../test/fake-completion';
import { USUAL_SPEECH } from '../upstream/speech';
import type { UpstreamClient } from '../upstream/upstream-client';
import { deliverStream } from './deliver-stream';
import { deliverWhole } from './deliver-whole';

const CHUNK = 'x'.repeat(500_000);
const LONGEST_KEPT = 4_000_000;
const CHUNKS_OVER_THE_LIMIT = Math.ceil(LONGEST_KEPT / CHUNK.length) + 1;

const noCall = {
  abort: () => undefined,
  settle: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

/** An upstream whose responses are too long to be kept. */
const verbose: UpstreamClient = {
  upstream: givenUpstream,
  speechOf: () => USUAL_SPEECH,
  learnSpeech: () => undefined,
  complete(_ask, sink) {
    const message = { role: 'assistant', content: CHUNK.repeat(CHUNKS_OVER_THE_LIMIT) };
    const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
    queueMicrotask(() => {
      void sink.onAnswer(Buffer.from(JSON.stringify(answer)));
    });
    return noCall;
  },
  embed: () => noCall,
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

function completionWith(longestKept: number | undefined) {
  const given = givenCompletion({ routes: [verbose], longestKept });
  const plan = { ...given.completion.plan, maxOutputTokens: 2 * LONGEST_KEPT };
  return { ...given, completion: { ...given.completion, plan } };
}

const sentLength = (chunks: readonly ChatCompletionChunk[]): number =>
  chunks.reduce((sum, { choices }) => sum + (choices[0]?.delta.content?.length ?? 0), 0);

describe.each([
  ['too long to be kept', LONGEST_KEPT],
  ['that nobody wants to repeat', undefined],
])('an answer %s', (_name, longestKept) => {
  it('that is whole is sent and charged, but not kept', async () => {
    const { completion, seen } = completionWith(longestKept);
    await settled(deliverWhole, completion);
    expect(seen.whole[0]?.length).toBeGreaterThan(LONGEST_KEPT);
    expect(seen).toMatchObject({ charged: [{ outcome: 'completed' }], kept: [undefined], released: 0 });
  });

  it('that is streamed is sent to its end and charged, but not kept', async () => {
    const { completion, seen } = completionWith(longestKept);
    await settled(deliverStream, completion);
    expect(sentLength(seen.chunks)).toBe(CHUNK.length * CHUNKS_OVER_THE_LIMIT);
    expect(seen).toMatchObject({ failed: [], ended: [undefined], kept: [undefined], released: 0 });
  });
});

it('a long whole response is read and written in turns, in which others are served', async () => {
  const { completion, seen } = completionWith(undefined);
  const { turns } = await turnsBeside(() => settled(deliverWhole, completion));
  const given = seen.whole[0] ?? '';
  expect(turns).toBeGreaterThan(given.length / (256 * 1024));
  expect(JSON.parse(given)).toMatchObject({
    choices: [{ message: { content: CHUNK.repeat(CHUNKS_OVER_THE_LIMIT) }, finish_reason: 'stop' }],
  });
});

it('a stream that is not too long is kept whole', async () => {
  const { completion, seen } = completionWith(10 * LONGEST_KEPT);
  await settled(deliverStream, completion);
  const [kept] = seen.kept;
  const choices = kept?.kind === 'stream' ? kept.choices : [];
  const length = choices.reduce((sum, { delta }) => sum + (delta.content?.length ?? 0), 0);
  expect(length).toBe(CHUNK.length * CHUNKS_OVER_THE_LIMIT);
});
