import { FareboxError, UnexpectedAnswerError } from '@farebox/client';
import { StreamBroken, streamCompletion } from './conversation';

const REQUEST = {
  apiKey: 'ak-1',
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }] as const,
  parameters: { max_tokens: 5 },
};
const chunk = (fields: object) => `data: ${JSON.stringify({ id: 'chatcmpl-1', ...fields })}\n\n`;
const text = (content: string) => chunk({ choices: [{ delta: { content } }] });
const USAGE = { prompt_tokens: 1, completion_tokens: 2, cost: '0.000000003' };

/** The gateway, which sends these bytes in these pieces. */
function gatewayOf(pieces: readonly string[]): jest.SpyInstance {
  const encoder = new TextEncoder();
  return jest.spyOn(globalThis, 'fetch').mockImplementation(() =>
    Promise.resolve(
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const piece of pieces) controller.enqueue(encoder.encode(piece));
            controller.close();
          },
        }),
      ),
    ),
  );
}

async function readAll(): Promise<unknown[]> {
  const pieces: unknown[] = [];
  for await (const piece of streamCompletion({ ...REQUEST, signal: new AbortController().signal }))
    pieces.push(piece);
  return pieces;
}

afterEach(() => jest.restoreAllMocks());

it('gives the id, the text and the usage as they come, however the bytes are cut', async () => {
  const whole = `: keep alive\n\n${text('Grüße')}${text(', you')}${chunk({ choices: [], usage: USAGE })}data: [DONE]\n\n`;
  const expected = [{ id: 'chatcmpl-1' }, { text: 'Grüße' }, { text: ', you' }, { usage: USAGE }];
  for (const size of [1, 7, whole.length]) {
    const pieces = whole.match(new RegExp(`[^]{1,${size.toString()}}`, 'g')) ?? [];
    gatewayOf(pieces);
    expect(await readAll()).toEqual(expected);
  }
});

it('asks for a stream with its usage, by the key alone', async () => {
  const fetch = gatewayOf(['data: [DONE]\n\n']);
  await readAll();
  const [url, init] = fetch.mock.calls[0] as [string, RequestInit];
  expect(url).toBe('/v1/chat/completions');
  expect(init).toMatchObject({ credentials: 'omit', headers: { authorization: 'Bearer ak-1' } });
  expect(JSON.parse(init.body as string)).toEqual({
    model: 'm',
    messages: REQUEST.messages,
    max_tokens: 5,
    stream: true,
    stream_options: { include_usage: true },
  });
});

it.each(['data: [DONE]', 'data: [DONE]\n'])('takes an end that no blank line follows (%j)', async (end) => {
  gatewayOf([text('Whole'), end]);
  expect(await readAll()).toEqual([{ id: 'chatcmpl-1' }, { text: 'Whole' }]);
});

it('says that a stream broke off which has no end', async () => {
  gatewayOf([text('Half')]);
  await expect(readAll()).rejects.toThrow(StreamBroken);
});

it('says why a stream failed', async () => {
  gatewayOf([text('Half'), 'data: {"object":"error","error":{"message":"The model took too long."}}\n\n']);
  await expect(readAll()).rejects.toThrow(new StreamBroken('The model took too long.'));
});

it('throws a refusal as the error that it is', async () => {
  const error = { message: 'No.', type: 'insufficient_funds', param: null, code: 'insufficient_funds' };
  jest
    .spyOn(globalThis, 'fetch')
    .mockResolvedValue(
      Response.json({ error }, { status: 402, headers: { 'x-service-request-id': 'req_1' } }),
    );
  const thrown = await readAll().catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(FareboxError);
  expect(thrown).toMatchObject({ code: 'insufficient_funds', requestId: 'req_1' });
});

it('throws what a proxy says in its place as no answer of the service', async () => {
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('<h1>Bad gateway</h1>', { status: 502 }));
  await expect(readAll()).rejects.toBeInstanceOf(UnexpectedAnswerError);
});
