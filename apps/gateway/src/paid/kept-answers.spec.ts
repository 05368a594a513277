import { ApiError } from '@farebox/errors';
import {
  fromKeptBytes,
  fromKeptError,
  fromLongKeptBytes,
  toKeptBytes,
  toKeptError,
  toLongKeptBytes,
  type KeptAnswer,
} from './kept-answers';

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: '0.000005000' };
const stream = {
  kind: 'stream' as const,
  id: 'chatcmpl-1',
  created: 1,
  model: 'small',
  choices: [
    { index: 0, delta: { role: 'assistant' as const, content: 'über ☀ \u2028' }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: 'stop' as const },
  ],
};
const error = toKeptError(new ApiError('upstream_timeout'));

/** Cut within characters and escapes. */
function inPieces(bytes: Buffer): Buffer[] {
  const [first, second] = [Math.floor(bytes.length / 7), Math.floor(bytes.length / 2)];
  return [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
}

describe('a kept response', () => {
  it.each<[string, KeptAnswer]>([
    ['in one piece', { kind: 'whole', body: '{"a":"\\ud83d ü ☀ \\u0000"}' }],
    ['of a complete stream', { ...stream, end: { kind: 'done', usage } }],
    ['of a stream that broke off', { ...stream, end: { kind: 'failed', error } }],
  ])('%s is read as it was written', (_name, answer) => {
    const bytes = toKeptBytes(answer);
    expect(fromKeptBytes(bytes)).toEqual(answer);
    expect(JSON.parse(bytes.toString())).toMatchObject({ v: 1, kind: answer.kind });
  });

  it.each([0, 1, 2, 3])('that is long is written and read in turns, like a short one: %d', async (shift) => {
    const content = 'x'.repeat(shift) + 'über ☀ 😀 "\\ \n \u2028'.repeat(40_000);
    const answer = { kind: 'whole' as const, body: JSON.stringify({ content }) };
    const bytes = await toLongKeptBytes(inPieces(Buffer.from(answer.body)));
    expect(bytes.equals(toKeptBytes(answer))).toBe(true);
    expect(await fromLongKeptBytes(bytes)).toEqual(answer);
  });

  it.each([
    ['another version', '{"v":2,"kind":"whole","body":"zebra"}', 'a kept answer is of another version'],
    ['no JSON', 'zebra', 'a kept answer is of another version'],
    ['another kind', '{"v":1,"kind":"zebra"}', 'a kept answer is not valid at kind'],
    ['no body', '{"v":1,"kind":"whole","text":"zebra"}', 'a kept answer is not valid at body'],
  ])('of %s is refused, without a word of it', async (_name, text, message) => {
    expect(() => fromKeptBytes(Buffer.from(text))).toThrow(new Error(message));
    await expect(fromLongKeptBytes(Buffer.from(text))).rejects.toThrow(new Error(message));
  });
});

it('a kept error is replayed with the same text', () => {
  const first = new ApiError('service_unavailable', {
    message: 'Later.',
    param: 'model',
    retryAfterSeconds: 5,
  });
  expect(fromKeptError(toKeptError(first)).toEnvelope()).toEqual(first.toEnvelope());
});
