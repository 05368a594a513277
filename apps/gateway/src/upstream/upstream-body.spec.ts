import type { Upstream } from '@farebox/catalog';
import { chatCompletionRequest, parseBody, type ChatCompletionRequest } from '@farebox/api';
import { readJsonText } from '@farebox/flow';
import { givenUpstream } from '../../test/fake-completion';
import { toServedRequest } from '../wires/chat/served-request';
import { USUAL_SPEECH } from './speech';
import { toSentBody, toUpstreamBody } from './upstream-body';

const SHARE: Parameters<typeof toUpstreamBody>[2] = {
  upstreamModel: 'm',
  written: undefined,
  markIn: () => 'mark',
  inTurn: (work) => work(),
};

/** The body sent upstream for a client's body. */
async function sentOn(text: string): Promise<string> {
  const { value, written } = await readJsonText(Buffer.from(text));
  const request = toServedRequest(parseBody(chatCompletionRequest, value));
  const sent = toSentBody({ request, extraFields: {}, maxOutputTokens: 5 }, USUAL_SPEECH);
  const body = await toUpstreamBody(sent, givenUpstream, { ...SHARE, written });
  return typeof body === 'string' ? body : Buffer.concat(body).toString();
}

const LONG = 300_000;

it('a long text is sent as it was written, without any other sent value', async () => {
  const content = `"${'\\u4e2d\\/ "'.replace('"', '\\"').repeat(LONG / 10)}"`;
  const name = '"f"';
  const tools = `[{"function":{"parameters":{"a":1e3,"a":2.50},"name":"g","name":${name}},"type":"function"}]`;
  const body = `{ "store": true, "tools": ${tools}, "model":"x", "messages" : [ {"content": ${content},"role":"user"} ], "user":"me" }`;
  expect(await sentOn(body)).toBe(
    `{"model":"m","messages":[{"role":"user","content":${content}}],"tools":[{"type":"function","function":{"name":"f","parameters":{"a":2.5}}}],"max_tokens":5}`,
  );
});

it('if a text is sent twice, the checked one is used', async () => {
  const [one, two] = ['x', 'y'].map((letter) => `"${letter.repeat(LONG)}"`) as [string, string];
  expect(await sentOn(`{"model":"x","messages":[{"role":"user","content":${one},"content":${two}}]}`)).toBe(
    `{"model":"m","messages":[{"role":"user","content":${two}}],"max_tokens":5}`,
  );
});

it('a long text in a place for a short one is refused, whichever way it is parsed', async () => {
  const long = 'x'.repeat(LONG);
  await expect(
    sentOn(`{"model":"${long}","messages":[{"role":"user","content":"Hi"}]}`),
  ).rejects.toMatchObject({
    param: 'model',
  });
});

const HELLO: ChatCompletionRequest = { model: 'x', messages: [{ role: 'user', content: 'Hello' }] };

describe('a server that separates customers gets the mark of the account', () => {
  const bodyFor = (
    wire: Upstream['wire'],
    promptCache: Upstream['promptCache'],
    extraFields = {},
  ): unknown => {
    const sent = toSentBody({ request: HELLO, extraFields, maxOutputTokens: 5 }, { ...USUAL_SPEECH, wire });
    const share = { ...SHARE, markIn: (field: string) => `mark in ${field}` };
    return JSON.parse(toUpstreamBody(sent, { ...givenUpstream, promptCache }, share) as string);
  };
  const plain = bodyFor('chat', 'shared') as object;

  it.each(['cache_salt', 'prompt_cache_key', 'user'] as const)('in %s', (field) => {
    expect(bodyFor('chat', field)).toEqual({ ...plain, [field]: `mark in ${field}` });
    // Regardless of the client's own value.
    expect(bodyFor('chat', field, { [field]: 'mine' })).toEqual(bodyFor('chat', field));
  });

  it('in metadata.user_id, if it speaks messages', () => {
    expect(bodyFor('messages', 'metadata.user_id')).toMatchObject({
      metadata: { user_id: 'mark in metadata.user_id' },
    });
  });

  it.each(['shared', 'hidden'] as const)('and no other server does: %s', (promptCache) => {
    expect(bodyFor('chat', promptCache)).toEqual(plain);
    expect(bodyFor('messages', promptCache)).not.toHaveProperty('metadata');
  });
});

it('a server with a hidden cache gets the same request without cache_control', () => {
  const cache_control = { type: 'ephemeral' as const };
  const cachedText = { type: 'text' as const, text: 'Look.', cache_control };
  const input = { cache_control: "an input of the client's own" };
  const document = { type: 'document' as const, source: { type: 'content' as const, content: [cachedText] } };
  const original = {
    model: 'x',
    cache_control,
    system: [cachedText],
    tools: [{ name: 'look', input_schema: { properties: { cache_control: {} } }, cache_control }],
    messages: [
      { role: 'user' as const, content: [cachedText, { ...document, cache_control }] },
      {
        role: 'assistant' as const,
        content: [{ type: 'tool_use' as const, id: 't', name: 'look', input, cache_control }],
      },
      {
        role: 'user' as const,
        content: [{ type: 'tool_result' as const, tool_use_id: 't', content: [cachedText], cache_control }],
      },
    ],
  };
  const sent = toSentBody(
    { request: HELLO, original, extraFields: {}, maxOutputTokens: 5 },
    { ...USUAL_SPEECH, wire: 'messages' },
  );
  const bodyFor = (promptCache: Upstream['promptCache']): string =>
    toUpstreamBody(sent, { ...givenUpstream, promptCache }, SHARE) as string;
  const without = bodyFor('shared').replaceAll(/,?"cache_control":\{"type":"ephemeral"\}/g, '');
  expect(JSON.parse(bodyFor('hidden'))).toEqual(JSON.parse(without.replace('{,', '{')));
  expect(bodyFor('hidden')).toContain('"input":{"cache_control":"an input of the client\'s own"}');
});
