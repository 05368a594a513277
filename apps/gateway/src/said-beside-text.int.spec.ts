import {
  chatCompletion,
  createdMessage,
  messageEvent,
  responsesEvent,
  responsesResponse,
} from '@farebox/api';
import { readStream } from '../test/read-stream';
import { sendJson, startRoutesHarness, type RouteAnswer, type RoutesHarness } from '../test/routes-harness';
import { eventsOf } from '../test/wires';

/** Data that an upstream sends beside its text, and how the clients of each wire get it. */

let harness: RoutesHarness;
beforeAll(async () => {
  harness = await startRoutesHarness([{ id: 'm', routes: [{ upstream: 'a', model: 'm' }] }]);
  harness.answer('a/m', sayCited);
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const CITED = { start_index: 0, end_index: 5, url: 'https://example.com/a', title: 'A page' };
const annotations = [{ type: 'url_citation', url_citation: CITED, upstream: 'canary' }];

const sayCited: RouteAnswer = (res, { stream }) => {
  const usage = { prompt_tokens: 10, completion_tokens: 2 };
  const end = { finish_reason: 'stop', stop_reason: 'END' };
  if (!stream) {
    sendJson(res, 200, {
      choices: [{ index: 0, message: { content: 'Trams.', annotations }, ...end }],
      usage,
    });
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choice: object): boolean =>
    res.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], usage })}\n\n`);
  send({ delta: { content: 'Trams' } });
  send({ delta: { content: '.' } });
  send({ delta: { annotations } });
  send({ delta: {}, ...end });
  res.end('data: [DONE]\n\n');
};

async function ask(path: string, body: object, more: Record<string, string> = {}): Promise<Response> {
  const { secret } = await harness.givenKey();
  return askAs(secret, path, body, more);
}

function askAs(secret: string, path: string, body: object, more: Record<string, string>): Promise<Response> {
  return fetch(`${harness.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify({ model: 'm', ...body }),
  });
}

const messages = [{ role: 'user', content: 'Tell me.' }];
const inChat = [{ type: 'url_citation', url_citation: CITED }];
const inResponses = [{ type: 'url_citation', ...CITED }];
const inMessages = {
  type: 'web_search_result_location',
  url: CITED.url,
  title: CITED.title,
  cited_text: '',
  encrypted_index: '',
};

describe('a citation', () => {
  it('is sent in chat', async () => {
    const whole = chatCompletion.parse(await (await ask('chat/completions', { messages })).json());
    expect(whole.choices[0]?.message.annotations).toEqual(inChat);
    const { chunks } = await readStream(await ask('chat/completions', { messages, stream: true }));
    expect(chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.annotations ?? []))).toEqual(
      inChat,
    );
  });

  it('is sent again in a repeated stream', async () => {
    const { secret } = await harness.givenKey();
    const once = async () => {
      const headers = { 'idempotency-key': 'once' };
      const { chunks, text } = await readStream(
        await askAs(secret, 'chat/completions', { messages, stream: true }, headers),
      );
      return {
        text,
        cited: chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.annotations ?? [])),
      };
    };
    expect(await once()).toEqual({ text: 'Trams.', cited: inChat });
    expect(await once()).toEqual({ text: 'Trams.', cited: inChat });
  });

  it('is sent in Responses, in the part that cites it', async () => {
    const part = { type: 'output_text', text: 'Trams.', annotations: inResponses };
    const whole = responsesResponse.parse(await (await ask('responses', { input: 'Tell me.' })).json());
    expect(whole.output).toMatchObject([{ type: 'message', content: [part] }]);
    const text = await (await ask('responses', { input: 'Tell me.', stream: true })).text();
    const events = eventsOf(text)
      .filter((data) => data !== '[DONE]')
      .map((data) => responsesEvent.parse(JSON.parse(data)));
    expect(events.find(({ type }) => type === 'response.output_text.annotation.added')).toMatchObject({
      output_index: 0,
      content_index: 0,
      annotation_index: 0,
      annotation: inResponses[0],
    });
    expect(events.at(-1)).toMatchObject({ response: { output: [{ content: [part] }] } });
  });

  it('is sent in messages, by the block that cites it', async () => {
    const asked = { messages, max_tokens: 20 };
    const whole = createdMessage.parse(await (await ask('messages', asked)).json());
    expect(whole.content).toEqual([{ type: 'text', text: 'Trams.', citations: [inMessages] }]);
    const text = await (await ask('messages', { ...asked, stream: true })).text();
    const events = eventsOf(text).map((data) => messageEvent.parse(JSON.parse(data)));
    const deltas = events.flatMap((event) => (event.type === 'content_block_delta' ? [event] : []));
    expect(deltas.map(({ index }) => index)).toEqual([0, 0, 0]);
    expect(deltas.at(-1)?.delta).toEqual({ type: 'citations_delta', citation: inMessages });
  });
});

it.each([false, true])('names the stop sequence to clients of messages (streamed: %s)', async (stream) => {
  const text = await (
    await ask('messages', { messages, stream, max_tokens: 20, stop_sequences: ['END'] })
  ).text();
  const told = stream
    ? eventsOf(text)
        .map((data) => messageEvent.parse(JSON.parse(data)))
        .flatMap((event) => (event.type === 'message_delta' ? [event.delta] : []))[0]
    : createdMessage.parse(JSON.parse(text));
  expect(told).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' });
});
