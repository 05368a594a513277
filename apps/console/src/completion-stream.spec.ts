import { FareboxError, UnexpectedAnswerError } from '@farebox/client';
import { quoteCompletion, StreamBroken, streamCompletion } from './completion-stream';

const REQUEST = {
  apiKey: 'ak-1',
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }] as const,
  parameters: { max_tokens: 5 },
};
const chunk = (fields: object) => `data: ${JSON.stringify({ id: 'chatcmpl-1', ...fields })}\n\n`;
const text = (content: string) => chunk({ choices: [{ delta: { content } }] });
const USAGE = { prompt_tokens: 1, completion_tokens: 2, cost: '0.000000003' };

/** A gateway that sends these bytes in these pieces, and whose connection may then fail. */
function gatewayOf(
  pieces: readonly string[],
  failure?: Error,
  headers: Record<string, string> = {},
): jest.SpyInstance {
  const encoder = new TextEncoder();
  const left = [...pieces];
  return jest.spyOn(globalThis, 'fetch').mockImplementation(() =>
    Promise.resolve(
      new Response(
        new ReadableStream<Uint8Array>({
          // A failure drops what is not read yet, so the pieces come one by one.
          pull(controller) {
            const piece = left.shift();
            if (piece !== undefined) controller.enqueue(encoder.encode(piece));
            else if (failure) controller.error(failure);
            else controller.close();
          },
        }),
        { headers },
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

it('yields the id, the text and the usage as they arrive, however the bytes are split', async () => {
  const whole = `: keep alive\n\n${text('Grüße')}${text(', you')}${chunk({ choices: [], usage: USAGE })}data: [DONE]\n\n`;
  const expected = [{ id: 'chatcmpl-1' }, { text: 'Grüße' }, { text: ', you' }, { usage: USAGE }];
  for (const size of [1, 7, whole.length]) {
    const pieces = whole.match(new RegExp(`[^]{1,${size.toString()}}`, 'g')) ?? [];
    gatewayOf(pieces);
    expect(await readAll()).toEqual(expected);
  }
});

it('has the id of a stream that breaks before anything arrives', async () => {
  gatewayOf([], new TypeError('network error'), { 'X-Service-Request-Id': 'req_1' });
  const seen: unknown[] = [];
  const reading = (async () => {
    const request = { ...REQUEST, signal: new AbortController().signal };
    for await (const piece of streamCompletion(request)) seen.push(piece);
  })();
  await expect(reading).rejects.toThrow(StreamBroken);
  expect(seen).toEqual([{ id: 'chatcmpl-1' }]);
});

it('requests a stream with its usage, authorised only by the key', async () => {
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

it.each(['data: [DONE]', 'data: [DONE]\n'])('accepts an end without a blank line (%j)', async (end) => {
  gatewayOf([text('Whole'), end]);
  expect(await readAll()).toEqual([{ id: 'chatcmpl-1' }, { text: 'Whole' }]);
});

it('reports a stream without an end as broken', async () => {
  gatewayOf([text('Half')]);
  await expect(readAll()).rejects.toThrow(StreamBroken);
});

it('keeps the text before a failed connection, and reports the stream as broken', async () => {
  gatewayOf([text('Half')], new TypeError('network error'));
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const piece of streamCompletion({ ...REQUEST, signal: new AbortController().signal }))
      seen.push(piece);
  })();
  await expect(reading).rejects.toBeInstanceOf(StreamBroken);
  expect(seen).toEqual([{ id: 'chatcmpl-1' }, { text: 'Half' }]);
});

it('reports a stream as broken if its last event is cut in two', async () => {
  gatewayOf([text('Half'), 'data: {"choices":[{"del\n\n']);
  await expect(readAll()).rejects.toBeInstanceOf(StreamBroken);
});

it('yields the reasoning before the text, and why the text ends', async () => {
  gatewayOf([
    chunk({ choices: [{ delta: { reasoning_content: 'Hm.' } }] }),
    text('Yes'),
    chunk({ choices: [{ delta: {}, finish_reason: 'length' }] }),
    'data: [DONE]\n\n',
  ]);
  expect(await readAll()).toEqual([
    { id: 'chatcmpl-1' },
    { reasoning: 'Hm.' },
    { text: 'Yes' },
    { finish: 'length' },
  ]);
});

it('reports why a stream failed', async () => {
  gatewayOf([text('Half'), 'data: {"object":"error","error":{"message":"The model took too long."}}\n\n']);
  await expect(readAll()).rejects.toThrow(new StreamBroken('The model took too long.'));
});

it('throws a refusal as the error in it', async () => {
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

it("throws a proxy's response as unexpected", async () => {
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('<h1>Bad gateway</h1>', { status: 502 }));
  await expect(readAll()).rejects.toBeInstanceOf(UnexpectedAnswerError);
});

it('quotes the most that a request can cost, without asking for a stream', async () => {
  const fetch = jest
    .spyOn(globalThis, 'fetch')
    .mockResolvedValue(Response.json({ object: 'quote', maximum_cost: '0.001200000' }));
  const { apiKey, ...asked } = REQUEST;
  expect(await quoteCompletion(apiKey, asked, new AbortController().signal)).toBe('0.001200000');
  const [url, init] = fetch.mock.calls[0] as [string, RequestInit];
  expect(url).toBe('/v1/quotes');
  expect(JSON.parse(init.body as string)).toEqual({
    model: 'm',
    messages: REQUEST.messages,
    max_tokens: 5,
  });
});
