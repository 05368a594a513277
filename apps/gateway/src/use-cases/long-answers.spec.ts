import type { Model, Upstream } from '@farebox/catalog';
import type { ApiError } from '@farebox/errors';
import { ZERO_NANO, toNanoUsd, toPicoUsd } from '@farebox/money';
import type { UpstreamClient } from '../upstream/upstream-client';
import type { ChatClient } from './chat-client';
import type { Completion } from './completion';
import { deliverStream } from './deliver-stream';
import { deliverWhole } from './deliver-whole';
import type { Hold } from './hold';
import { LONGEST_KEPT, type KeptAnswer } from './kept-answer';

const CHUNK = 'x'.repeat(500_000);
const CHUNKS_OVER_THE_LIMIT = Math.ceil(LONGEST_KEPT / CHUNK.length) + 1;

const upstream: Upstream = {
  id: 'u',
  baseUrl: 'http://u.example/v1',
  apiKeyEnv: undefined,
  maxTokensField: 'max_tokens',
  connectTimeoutMs: 1,
  firstByteTimeoutMs: 1,
  idleTimeoutMs: 1,
  totalTimeoutMs: 1,
};
const noCall = { abort: () => undefined, pause: () => undefined, resume: () => undefined };

/** An upstream whose answers are longer than what is kept. */
const verbose: UpstreamClient = {
  upstream,
  complete(_body, sink) {
    const message = { role: 'assistant', content: CHUNK.repeat(CHUNKS_OVER_THE_LIMIT) };
    const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
    queueMicrotask(() => {
      sink.onAnswer(Buffer.from(JSON.stringify(answer)));
    });
    return noCall;
  },
  stream(_body, sink) {
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
  close: () => Promise.resolve(),
};

const model: Model = {
  id: 'verbose',
  ownedBy: 'farebox',
  routes: [],
  contextWindow: 1_000,
  maxOutputTokens: 10,
  defaultMaxOutputTokens: undefined,
  tokenizer: undefined,
  modalities: ['text'],
  imageTokens: undefined,
  visibility: { to: 'public' },
  price: { id: 'price', inputPricePico: toPicoUsd(1n), outputPricePico: toPicoUsd(1n) },
  createdAt: 0,
};

function completionWith({ keepsAnswer }: { keepsAnswer: boolean }) {
  const seen = { kept: [] as KeptAnswer[], released: 0, sent: 0, failed: [] as ApiError[], ended: 0 };
  const hold: Hold = {
    id: 'hold',
    keepsAnswer,
    costOf: () => ZERO_NANO,
    charge(_charge, toAnswer) {
      seen.kept.push(toAnswer());
      return Promise.resolve();
    },
    release() {
      seen.released++;
      return Promise.resolve();
    },
    refund: () => Promise.resolve(),
  };
  const client: ChatClient = {
    gone: new AbortController().signal,
    announce: () => undefined,
    sendWhole(json) {
      seen.sent = json.length;
      return Promise.resolve(true);
    },
    sendChunk(chunk, onDelivered) {
      seen.sent += chunk.choices[0]?.delta.content?.length ?? 0;
      onDelivered();
      return true;
    },
    onDrained: () => undefined,
    flushed: () => Promise.resolve(),
    endStream: () => seen.ended++,
    failStream: (error) => seen.failed.push(error),
  };
  const completion: Completion = {
    id: 'chatcmpl-1',
    createdAt: 0,
    startedAtMs: 0,
    request: { model: 'verbose', messages: [{ role: 'user', content: 'Hello' }] },
    plan: {
      model,
      targets: [{ route: { upstreamId: 'u', upstreamModel: 'm' }, client: verbose }],
      prompt: { texts: ['Hello'], images: 0, messages: 1 },
      tokenizer: (text) => text.length,
      choices: 1,
      maxOutputTokens: 10,
      maximumCostNano: toNanoUsd(1n),
    },
    hold,
    client,
    shutdown: new AbortController().signal,
    now: () => 0,
    noteFailure: () => undefined,
  };
  return { completion, seen };
}

const tooLong = expect.objectContaining({
  code: 'invalid_request_error',
  param: 'Idempotency-Key',
}) as ApiError;

describe('an answer that is too long to be kept', () => {
  it('is not given in one piece, and not charged', async () => {
    const { completion, seen } = completionWith({ keepsAnswer: true });
    await expect(deliverWhole(completion)).rejects.toEqual(tooLong);
    expect(seen).toMatchObject({ kept: [], released: 1, sent: 0 });
  });

  it('is cut where it is a stream, and what was delivered is kept and charged', async () => {
    const { completion, seen } = completionWith({ keepsAnswer: true });
    await deliverStream(completion);
    expect(seen).toMatchObject({ failed: [tooLong], ended: 0 });
    const [kept] = seen.kept;
    const choices = kept?.kind === 'stream' ? kept.choices : [];
    const length = choices.reduce((sum, { delta }) => sum + (delta.content?.length ?? 0), 0);
    expect(length).toBe(seen.sent);
    expect(length).toBeLessThanOrEqual(LONGEST_KEPT);
    expect(length).toBeGreaterThan(LONGEST_KEPT - CHUNK.length);
    expect(kept).toMatchObject({ end: { kind: 'failed', error: { code: 'invalid_request_error' } } });
  });

  it('is given where nobody wants to repeat it', async () => {
    const whole = completionWith({ keepsAnswer: false });
    await deliverWhole(whole.completion);
    const stream = completionWith({ keepsAnswer: false });
    await deliverStream(stream.completion);
    expect(whole.seen.sent).toBeGreaterThan(LONGEST_KEPT);
    expect(stream.seen).toMatchObject({ sent: CHUNK.length * CHUNKS_OVER_THE_LIMIT, failed: [], ended: 1 });
  });
});
