import {
  sendJson,
  startRoutesHarness,
  type RouteAnswer,
  type RoutesHarness,
} from '../../test/routes-harness';

// A server of Responses may write several messages in one answer, and say which of them is the answer:
// https://platform.openai.com/docs/guides/reasoning

const cited = { type: 'url_citation', start_index: 0, end_index: 4, url: 'https://a.example/', title: 'A' };
const messageOf = (phase: string | undefined, text: string, annotations: object[] = []) => ({
  type: 'message',
  role: 'assistant',
  ...(phase !== undefined && { phase }),
  content: [{ type: 'output_text', text, annotations, logprobs: [] }],
});
const commentary = messageOf('commentary', 'I look it up.');
const final = messageOf('final_answer', 'Done.', [cited]);
const usage = { input_tokens: 20, output_tokens: 9, total_tokens: 29 };

/** Writes the messages, in the form that is asked for. */
const answerOf =
  (...output: ReturnType<typeof messageOf>[]): RouteAnswer =>
  (res, { stream }) => {
    const response = { status: 'completed', output, usage };
    if (!stream) {
      sendJson(res, 200, response);
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (type: string, more: object): void => {
      res.write(`data: ${JSON.stringify({ type, ...more })}\n\n`);
    };
    send('response.created', { response: { status: 'in_progress' } });
    for (const [output_index, item] of output.entries()) {
      send('response.output_item.added', { output_index, item: { ...item, content: [] } });
      send('response.content_part.added', { output_index, content_index: 0 });
      const { text = '', annotations = [] } = item.content[0] ?? {};
      for (const delta of text.split(/(?= )/)) send('response.output_text.delta', { output_index, delta });
      for (const annotation of annotations)
        send('response.output_text.annotation.added', { output_index, annotation });
      send('response.output_item.done', { output_index, item });
    }
    send('response.completed', { response });
    res.end();
  };

let harness: RoutesHarness;
let secret: string;
let inputs: unknown[] = [];
beforeAll(async () => {
  const models = ['m', 'strict'].map((id) => ({ id, routes: [{ upstream: 'a', model: id }] }));
  harness = await startRoutesHarness(models, { upstreams: { a: { wire: 'responses' } } });
});
beforeEach(async () => {
  ({ secret } = await harness.givenKey());
  inputs = [];
  givenAnswer(commentary, final);
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

function givenAnswer(...output: ReturnType<typeof messageOf>[]): void {
  harness.answer('a/m', (res, request, req) => {
    inputs.push(request['input']);
    answerOf(...output)(res, request, req);
  });
}

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', ...body }),
  });
  expect(response.status).toBe(200);
  return response.text();
}

/** The objects of a stream's events. */
const eventsOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);

interface Item {
  id: string;
  type: string;
  phase?: string;
  content: { text: string; annotations: object[] }[];
}

async function outputOf(body: object, headers?: Record<string, string>): Promise<Item[]> {
  const text = await post('/v1/responses', body, headers);
  if (!('stream' in body)) return (JSON.parse(text) as { output: Item[] }).output;
  return (eventsOf(text).at(-1)?.['response'] as { output: Item[] }).output;
}

const user = { role: 'user', content: 'Look it up.' };
const more = { role: 'user', content: 'Go on.' };
const inShort = (items: readonly Item[]) =>
  items.map(({ phase, content }) => [phase, content[0]?.text, content[0]?.annotations]);

describe.each([{}, { stream: true }])('with %j', (form) => {
  it('a client of Responses gets each message with its phase and its citations', async () => {
    expect(inShort(await outputOf({ input: 'Hi', ...form }))).toEqual([
      ['commentary', 'I look it up.', []],
      ['final_answer', 'Done.', [cited]],
    ]);
  });

  it('messages without a phase are kept apart, too', async () => {
    givenAnswer(messageOf(undefined, 'One.'), messageOf(undefined, 'Two.'));
    const output = await outputOf({ input: 'Hi', ...form });
    expect(inShort(output)).toEqual([
      [undefined, 'One.', []],
      [undefined, 'Two.', []],
    ]);
  });

  it.each<[string, (items: Item[]) => object[], object]>([
    ['whole', (items) => items, { store: false }],
    ['by name', (items) => items.map(({ id }) => ({ type: 'item_reference', id })), {}],
  ])('the server gets the phases back if the items are sent back %s', async (_how, sent, stored) => {
    const output = await outputOf({ input: [user], ...stored, ...form });
    await outputOf({ input: [user, ...sent(output), more], ...stored, ...form });
    expect(inputs.at(-1)).toEqual([
      user,
      {
        role: 'assistant',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'I look it up.' }],
      },
      { role: 'assistant', phase: 'final_answer', content: [{ type: 'output_text', text: 'Done.' }] },
      more,
    ]);
  });

  it('a repeated request gets the same messages', async () => {
    const headers = { 'idempotency-key': 'one' };
    const first = await outputOf({ input: 'Hi', ...form }, headers);
    expect(await outputOf({ input: 'Hi', ...form }, headers)).toEqual(first);
    expect(inputs).toHaveLength(1);
    expect(first).toHaveLength(2);
  });

  it('a client of messages gets a block for each', async () => {
    const text = await post('/v1/messages', { max_tokens: 90, messages: [user], ...form });
    const blocks =
      'stream' in form
        ? eventsOf(text)
            .filter(({ type }) => type === 'content_block_delta')
            .reduce<string[]>((texts, { index, delta }) => {
              const at = index as number;
              texts[at] = (texts[at] ?? '') + ((delta as { text?: string }).text ?? '');
              return texts;
            }, [])
        : (JSON.parse(text) as { content: { text: string }[] }).content.map((block) => block.text);
    expect(blocks).toEqual(['I look it up.', 'Done.']);
  });

  it('a client of chat gets one text, with a paragraph for each and citations that still fit', async () => {
    const text = await post('/v1/chat/completions', { messages: [user], ...form });
    interface Said {
      content?: string | null;
      annotations?: { url_citation: object }[];
      begins?: unknown;
    }
    const choices =
      'stream' in form
        ? eventsOf(text).flatMap(({ choices }) => choices as { delta: Said }[])
        : (JSON.parse(text) as { choices: { message: Said }[] }).choices;
    const said = choices.map((choice) => ('delta' in choice ? choice.delta : choice.message));
    const content = said.map((one) => one.content ?? '').join('');
    expect(content).toBe('I look it up.\n\nDone.');
    const [annotation] = said.flatMap(({ annotations = [] }) => annotations);
    expect(annotation?.url_citation).toMatchObject({ start_index: 15, end_index: 19 });
    expect(content.slice(15, 19)).toBe('Done');
    expect(text).not.toMatch(/begins|order|phase/);
  });
});

it('a server that does not know phases is sent none, and the client learns of it', async () => {
  harness.answer('a/strict', (res, request, req) => {
    if (JSON.stringify(request).includes('"phase"'))
      sendJson(res, 400, {
        error: { message: "Unknown parameter: 'input[1].phase'.", param: 'input[1].phase' },
      });
    else answerOf(final)(res, request, req);
  });
  const response = await fetch(`${harness.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'strict', input: [user, { ...commentary, id: 'msg_1' }, more] }),
  });
  expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([200, 'input.phase']);
});

it('a summary that a model writes in several messages has a paragraph for each', async () => {
  const input = [user, { type: 'compaction_trigger' }];
  const [item] = (await outputOf({ input })) as unknown as { encrypted_content: string }[];
  const [, summary = ''] = item?.encrypted_content.split('.') ?? [];
  expect(Buffer.from(summary, 'base64').toString()).toBe('I look it up.\n\nDone.');
});

it('a phase that is not known is left out', async () => {
  await outputOf({ input: [user, { role: 'assistant', phase: 'aside', content: 'Well.' }, more] });
  expect(inputs.at(-1)).toEqual([
    user,
    { role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] },
    more,
  ]);
});
