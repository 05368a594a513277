import { getHeapSpaceStatistics } from 'node:v8';
import { withParts } from '@farebox/api';
import type { Upstream } from '@farebox/catalog';
import { BYTES_AT_ONCE, readBody } from '@farebox/flow';
import { garbageCollector } from '@farebox/testing';
import { caller, model } from '../../test/admission-harness';
import { givenUpstream } from '../../test/fake-completion';
import { watched } from '../../test/watched-json';
import { chatWire } from '../wires/chat/chat-wire';
import { messagesWire } from '../wires/messages/messages-wire';
import { compactWire } from '../wires/responses/compact-wire';
import { responsesWire } from '../wires/responses/responses-wire';
import type { Wire } from '../wires/wire';
import { planInTurns } from '../chat/plan-completion';
import { imageHostsOf } from './image-hosts';
import type { ServedCatalog } from './live-catalog';
import { USUAL_SPEECH } from './speech';
import { toSentBody, toSentBodyInTurns, toUpstreamBody } from './upstream-body';

const BYTES = 4 * BYTES_AT_ONCE;
const TEXT = 'x'.repeat(BYTES);
const ENTRIES = 4_000;
const SHORT = 'y'.repeat(BYTES / ENTRIES);

const many = <Entry>(count: number, entry: (i: number) => Entry): Entry[] =>
  Array.from({ length: count }, (_, i) => entry(i));
const schema = { properties: Object.fromEntries(many(ENTRIES, (i) => [`${SHORT}${String(i)}`, {}])) };
const user = (content: unknown): object => ({ role: 'user', content });

const INPUTS: Record<string, object> = {
  'arguments with a long text': { path: 'a', content: TEXT },
  'arguments of many members': Object.fromEntries(many(ENTRIES, (i) => [`m${String(i)}`, SHORT])),
};
const calling = (input: object): object => ({
  role: 'assistant',
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify(input) } }],
});
const using = (input: object): object => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'a', name: 'f', input }],
});

const CHAT: Record<string, object> = {
  ...Object.fromEntries(
    Object.entries(INPUTS).map(([what, input]) => [what, { messages: [user('Hi'), calling(input)] }]),
  ),
  'one text': { messages: [user(TEXT)] },
  'many messages': { messages: many(ENTRIES, () => user(SHORT)) },
  'many parts': {
    messages: many(4, () => user(many(ENTRIES / 4, (i) => ({ type: 'text', text: `${SHORT}${String(i)}` })))),
  },
  'a tool with many members': {
    messages: [user('Hi')],
    tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
  },
  'an image': {
    messages: [user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${TEXT}` } }])],
  },
};

const MESSAGES: Record<string, object> = {
  ...Object.fromEntries(
    Object.entries(INPUTS).map(([what, input]) => [what, { messages: [user('Hi'), using(input)] }]),
  ),
  'one text': { messages: [user(TEXT)] },
  'many texts': {
    messages: [user(many(1_000, (i) => ({ type: 'text', text: `${SHORT}${SHORT}${String(i)}` })))],
  },
  'a tool with many members': { messages: [user('Hi')], tools: [{ name: 'f', input_schema: schema }] },
  'an image': {
    messages: [user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: TEXT } }])],
  },
};

const RESPONSES: Record<string, object> = {
  'one text': { input: [user(TEXT)] },
  'many items': { input: many(ENTRIES, () => user(SHORT)) },
  'a tool with many members': { input: 'Hi', tools: [{ type: 'function', name: 'f', parameters: schema }] },
  'an image': {
    input: [user([{ type: 'input_image', image_url: `data:image/png;base64,${TEXT}` }])],
  },
};

/** V8 keeps strings of more than 128 KiB, above all, on pages of their own. */
const largeBytes = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name.includes('large_object'))
    .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);

const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => work();

const CASES = (
  [
    ['chat', chatWire, CHAT],
    ['messages', messagesWire, MESSAGES],
    ['responses', responsesWire, RESPONSES],
  ] as [string, Wire, Record<string, object>][]
).flatMap(([client, wire, bodies]) =>
  Object.entries(bodies).flatMap(([what, fields]) =>
    (['chat', 'messages', 'responses'] as const).map((server) => ({ client, wire, what, fields, server })),
  ),
);

/** With several routes, the beginning of a conversation decides between them. */
const routes = ['a', 'b'].map((upstreamModel) => ({
  upstreamId: 'u',
  upstreamModel,
  weight: 1,
  priority: 0,
}));
const served = { ...model, routes, contextWindow: 4 * BYTES, modalities: ['text', 'image'] as const };
const catalog: ServedCatalog = {
  snapshot: { version: 1, upstreams: new Map(), models: new Map([[model.id, served]]) },
  clients: new Map(),
};

function askedOf(wire: Wire, value: unknown) {
  const read = wire.read(value);
  return { ...read, request: read.body, extraFields: {}, maxOutputTokens: 9 };
}

it.each(CASES)(
  'the prompt of a long request of $client with $what for a server of $server is collected in turns',
  async ({ wire, fields, server }) => {
    const asked = askedOf(wire, { model: 'm', max_tokens: 9, ...fields });
    const speech = { ...USUAL_SPEECH, wire: server };
    const { result, longestAtOnce } = await watched(() => toSentBodyInTurns(asked, speech));
    expect(result).toEqual(toSentBody(asked, speech));
    expect(longestAtOnce).toBeLessThan(BYTES_AT_ONCE);
  },
);

/** Whose hold covers the other body, too. */
const LEARNT = CASES.filter(
  ({ wire, server, what }) => wire === chatWire && server !== 'chat' && what.startsWith('arguments'),
);

it.each(LEARNT)(
  'a long request of chat with $what is translated in turns for a server that turns out to speak $server',
  async ({ wire, fields, server }) => {
    const asked = wire.read({ model: model.id, max_tokens: 9, ...fields });
    const plan = await planInTurns(catalog, caller, asked);
    const speech = { ...USUAL_SPEECH, wire: server };

    const { result, longestAtOnce } = await watched(async () => plan.sentAs(speech));

    expect(result?.fields).toEqual(
      toSentBody(askedOf(wire, { max_tokens: 9, ...fields, model: 'm' }), speech).fields,
    );
    expect(longestAtOnce).toBeLessThan(BYTES_AT_ONCE);
  },
);

const ANSWER = { id: 'chatcmpl-01kag', created: 1_795_262_400, model: 'm' };
const CHOICE = {
  index: 0,
  message: { role: 'assistant' as const, content: 'Hello', refusal: null },
  logprobs: null,
  finish_reason: 'stop' as const,
};
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: '0.000001000' };

it.each([
  ['messages', messagesWire, { messages: [user('Hi')] }],
  ['responses', responsesWire, { input: 'Hi' }],
  ['compaction', compactWire, { input: [user('Hi')] }],
])('a long request of %s means the same as a short one', async (_wire, wire, fields) => {
  const asked = { model: 'm', max_tokens: 9, ...fields };
  const [{ writer, ...short }, { writer: writerInTurns, ...long }] = [
    wire.read(asked),
    await (wire.readInTurns?.(asked) ?? wire.read(asked)),
  ];
  expect(long).toEqual(short);
  const written = (by: typeof writer) => by.toWhole(ANSWER, [CHOICE], USAGE);
  expect(written(writerInTurns)).toEqual(written(writer));
});

it.each(Object.entries(MESSAGES))('a request of messages with %s is read in turns', async (_what, fields) => {
  const value = { model: 'm', max_tokens: 9, ...fields };
  const expected = messagesWire.read(value);
  const { result, longestAtOnce } = await watched(async () => messagesWire.readInTurns?.(value));
  expect({ ...result, writer: undefined }).toEqual({ ...expected, writer: undefined });
  expect(longestAtOnce).toBeLessThan(BYTES_AT_ONCE);
});

it.each([
  [{ ...MESSAGES['one text'], max_tokens: 0 }, 'max_tokens'],
  [{ messages: [using([])] }, 'messages[0].content[0].input'],
])('a request of messages that is read in turns is refused as at once: %#', async (fields, param) => {
  const value = { model: 'm', max_tokens: 9, ...fields };
  expect(() => messagesWire.read(value)).toThrow(expect.objectContaining({ param }) as Error);
  await expect(messagesWire.readInTurns?.(value)).rejects.toMatchObject({ param });
});

it.each(CASES.filter(({ what }) => what === 'one text' || what === 'an image'))(
  'the pieces of $what of $client are never joined for a server of $server',
  async ({ wire, fields, server }) => {
    const bytes = Buffer.from(JSON.stringify({ model: model.id, max_tokens: 9, ...fields }));
    const upstream: Upstream = { ...givenUpstream, wire: server };
    const speech = { ...USUAL_SPEECH, wire: server };
    const limits = { extraFields: {}, maxOutputTokens: 9 };
    const share = { upstreamModel: 'up', markIn: () => 'mark', inTurn };
    garbageCollector()();
    const before = largeBytes();

    const { value, written } = await readBody(bytes);
    const asked = await withParts(
      (text) => written?.partsOf(text),
      () => wire.readInTurns?.(value, written) ?? wire.read(value),
    );
    expect(imageHostsOf(asked.body)).toEqual([]);
    await planInTurns(catalog, caller, { ...asked, written });
    const sent = await toSentBodyInTurns({ ...asked, request: asked.body, ...limits, written }, speech);
    const pieces = await toUpstreamBody(sent, upstream, { ...share, written });

    expect(largeBytes() - before).toBeLessThan(BYTES / 4);
    const atOnce = toSentBody(askedOf(wire, JSON.parse(bytes.toString())), speech);
    const expected = await toUpstreamBody(atOnce, upstream, { ...share, written: undefined });
    expect(Buffer.concat(pieces as Buffer[]).toString()).toBe(expected);
    expect(sent.prompt.bytes).toEqual(atOnce.prompt.bytes);
  },
);

it.each(CASES)(
  'a long request of $client with $what is written for a server of $server in turns',
  async ({ wire, fields, server }) => {
    const bytes = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, ...fields }));
    const { value, written } = await readBody(bytes);
    const sent = toSentBody(askedOf(wire, value), { ...USUAL_SPEECH, wire: server });
    const upstream: Upstream = { ...givenUpstream, wire: server };
    const share = { upstreamModel: 'up', written, markIn: () => 'mark', inTurn };

    const { result, longestAtOnce } = await watched(async () => toUpstreamBody(sent, upstream, share));

    const text = Buffer.concat(result as Buffer[]).toString();
    expect(JSON.parse(text)).toMatchObject(JSON.parse(JSON.stringify(sent.fields)) as object);
    expect(longestAtOnce).toBeLessThan(BYTES_AT_ONCE);
  },
);
