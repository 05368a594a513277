import { readAnswer, StreamSoFar, type ClientResult } from '../test/chat-client';

const CHUNK =
  'data: {"id":"chatcmpl-1","choices":[{"delta":{"content":"Hel"},"finish_reason":null}],"usage":null}\n\n';
const FINISH =
  'data: {"id":"chatcmpl-1","choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}],"usage":null}\n\n';
const USAGE = 'data: {"id":"chatcmpl-1","choices":[],"usage":{"cost":"0.000000058"}}\n\n';
const DONE = 'data: [DONE]\n\n';
const FAILURE = 'data: {"object":"error","error":{"code":"billing_error"}}\n\n';

async function read(
  contentType: string,
  text: string,
  pieceLength = text.length,
  status = 200,
): Promise<ClientResult> {
  async function* body(): AsyncGenerator<Buffer> {
    for (let start = 0; start < text.length; start += pieceLength)
      yield await Promise.resolve(Buffer.from(text.slice(start, start + pieceLength)));
  }
  const answer = { status, contentType, replayed: false, body: body() };
  return readAnswer(answer, new StreamSoFar(), () => undefined);
}

const readStream = (text: string, pieceLength?: number): Promise<ClientResult> =>
  read('text/event-stream; charset=utf-8', text, pieceLength);

describe('a stream', () => {
  it.each([1, 7, 10_000])('is complete with its [DONE], in pieces of %i', async (pieceLength) => {
    expect(await readStream(CHUNK + FINISH + USAGE + DONE, pieceLength)).toEqual({
      kind: 'answered',
      completionId: 'chatcmpl-1',
      cost: '0.000000058',
      content: '["Hello","stop"]',
      replayed: false,
    });
  });

  it('is cut off without it', async () => {
    expect(await readStream(CHUNK + FINISH + USAGE)).toEqual({ kind: 'cut', text: 'Hello' });
  });

  it('has failed if it ends with an error', async () => {
    expect(await readStream(CHUNK + FAILURE)).toEqual({
      kind: 'failed_midway',
      code: 'billing_error',
      text: 'Hel',
      replayed: false,
    });
  });
});

describe('a non-streamed answer', () => {
  it('is kept byte for byte', async () => {
    const text = '{"id":"chatcmpl-1", "usage":{"cost":"0.000000058"}}';
    expect(await read('application/json', text)).toMatchObject({ content: text, cost: '0.000000058' });
  });

  it('is a refusal with any status but 200', async () => {
    const text = '{"error":{"code":"service_unavailable"}}';
    expect(await read('application/json', text, text.length, 503)).toEqual({
      kind: 'refused',
      status: 503,
      code: 'service_unavailable',
    });
  });
});
