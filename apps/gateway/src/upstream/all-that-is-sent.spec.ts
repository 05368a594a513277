import { boundPrompt, type Model, type Prompt, type Upstream } from '@farebox/catalog';
import {
  chatCompletionRequest,
  embeddingsRequest,
  messagesRequest,
  RESPONSES_FIELDS as KNOWN,
} from '@farebox/api';
import { numberFromEnvironment, randomSeed } from '@farebox/testing';
import fc from 'fast-check';
import { caller, model } from '../../test/admission-harness';
import {
  CHAT_FIELDS,
  EMBEDDINGS_FIELDS,
  MESSAGES_FIELDS,
  PNG,
  requestOf,
  RESPONSES_FIELDS,
} from '../../test/every-field/requests';
import { givenUpstream } from '../../test/fake-completion';
import { chatWire } from '../wires/chat/chat-wire';
import { readEmbeddings } from '../wires/embeddings/embeddings';
import { messagesWire } from '../wires/messages/messages-wire';
import { responsesWire } from '../wires/responses/responses-wire';
import type { Wire } from '../wires/wire';
import { planEmbeddings } from '../embeddings/create-embeddings';
import { planCompletion } from '../chat/plan-completion';
import type { ServedCatalog } from './live-catalog';
import { speechOf } from './speech';
import { toUpstreamBody } from './upstream-body';
import type { UpstreamClient } from './upstream-client';

// Every string of every body sent upstream is part of what is held for it, whatever a client sends.

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
const RUNS = { seed: SEED, numRuns: numberFromEnvironment('FAREBOX_TEST_FUZZ_RUNS') ?? 100 };

/** Strings in a body that the service wrote: values from its own lists, or ones it generates. */
const OWN_WORDS = new Set([
  ...['role', 'type', 'media_type', 'detail', 'ttl', 'model', 'encoding_format'],
  ...['cache_salt', 'user_id', 'prompt_cache_key', 'effort'],
]);

/** Images and files are counted per item: their data is not text. */
const ATTACHED = new Set(['file_data', 'image_url']);
const isAttached = ({ type }: { type?: unknown }): boolean => type === 'url' || type === 'base64';
const isData = (text: string): boolean => text.startsWith('data:') || text === PNG;

interface Found {
  strings: string[];
  attached: number;
}

function walk(value: unknown, found: Found): Found {
  if (typeof value === 'string') found.strings.push(value);
  else if (Array.isArray(value)) for (const entry of value) walk(entry, found);
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      // Names chosen by a client begin like this (test/every-field).
      if (/^[sw]\d/.test(name)) found.strings.push(name);
      const isOwn = OWN_WORDS.has(name) && typeof inner === 'string';
      if (ATTACHED.has(name) || (name === 'source' && isAttached(inner as object))) found.attached++;
      if (!isOwn && !(typeof inner === 'string' && isData(inner))) walk(inner, found);
    }
  return found;
}

function servedBy(upstreams: readonly Upstream[], kind: Model['kind'] = 'chat'): ServedCatalog {
  const served: Model = {
    ...model,
    kind,
    contextWindow: 1_000_000,
    maxOutputTokens: 4_000,
    modalities: ['text', 'image', 'file'],
    extraFields: [{ name: 'vendor_field', promptTokens: 0 }],
    routes: upstreams.map(({ id }, priority) => ({
      upstreamId: id,
      upstreamModel: 'up',
      weight: 1,
      priority,
    })),
  };
  return {
    snapshot: { version: 1, upstreams: new Map(), models: new Map([[served.id, served]]) },
    clients: new Map(
      upstreams.map((upstream) => [
        upstream.id,
        { upstream, speechOf: () => speechOf(upstream) } as Partial<UpstreamClient> as UpstreamClient,
      ]),
    ),
  };
}

const CHAT: Upstream = { ...givenUpstream, id: 'chat', promptCache: 'cache_salt' };
const MESSAGES: Upstream = { ...CHAT, id: 'messages', wire: 'messages', promptCache: 'metadata.user_id' };

const RESPONSES: Upstream = { ...CHAT, id: 'responses', wire: 'responses', promptCache: 'prompt_cache_key' };
/** Differs from the usual dialect in as many ways as possible. */
const STRICT: Upstream = {
  ...CHAT,
  dialect: {
    roleDeveloper: 'system',
    roleSystem: 'user',
    callIds: 'alphanumeric_9',
    callSignatures: 'google',
    historyReasoning: 'reasoning_details',
    refusal: 'text',
    messageNames: 'none',
    thinking: 'budget',
    customTools: 'functions',
    auth: 'usual',
    seedField: 'random_seed',
    omit: ['logit_bias'],
  },
};
const ADAPTIVE: Upstream = { ...MESSAGES, dialect: { ...STRICT.dialect, thinking: 'adaptive' } };

/** The service generates the mark of the account. */
const share: Parameters<typeof toUpstreamBody>[2] = {
  upstreamModel: 'up',
  written: undefined,
  markIn: () => 'mark',
  inTurn: (work) => work(),
};

function expectHeld(body: string | Buffer, prompt: Prompt): void {
  const { strings, attached } = walk(JSON.parse(body.toString()), { strings: [], attached: 0 });
  const held = [...prompt.texts, ...prompt.definitions, ...prompt.options];
  const all = held.join('\n');
  const isHeld = (text: string): boolean =>
    all.includes(text) || all.includes(JSON.stringify(text).slice(1, -1));
  expect(strings.filter((text) => !isHeld(text))).toEqual([]);
  const bytes = (texts: string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(bytes(held)).toBeGreaterThanOrEqual(bytes(strings));
  expect(prompt.images + prompt.files).toBe(attached);
  const { messages, input } = JSON.parse(body.toString()) as { messages?: unknown[]; input?: unknown[] };
  expect(prompt.messages).toBeGreaterThanOrEqual((messages ?? input ?? []).length);
}

const WIRES: [string, Wire, fc.Arbitrary<object>][] = [
  ['chat', chatWire, requestOf(CHAT_FIELDS, ['messages'], { model: model.id })],
  ['responses', responsesWire, requestOf(RESPONSES_FIELDS, ['input'], { model: model.id })],
  [
    'messages',
    messagesWire,
    requestOf(MESSAGES_FIELDS, ['messages'], { model: model.id, max_tokens: 3_000 }),
  ],
];

describe.each(WIRES)('the content of a request from a client of %s', (_name, wire, requests) => {
  it.each([
    ['a server of chat', [CHAT]],
    ['a server of messages', [MESSAGES]],
    ['a server of Responses', [RESPONSES]],
    ['a server of chat with a dialect', [STRICT]],
    ['a server of messages with a dialect', [ADAPTIVE]],
    ['servers of all three', [RESPONSES, CHAT, MESSAGES]],
    ['servers of both, whichever is asked', [CHAT, MESSAGES]],
    ['servers of both, the other one first', [MESSAGES, CHAT]],
  ])(`is held exactly as it is sent to %s (seed ${String(SEED)})`, (_server, upstreams) => {
    const catalog = servedBy(upstreams);
    fc.assert(
      fc.property(requests, (request) => {
        const plan = planCompletion(catalog, caller, read(wire, request));
        const { tokensBound } = boundPrompt(plan.prompt, plan.model);
        for (const sent of plan.sent) {
          const upstream = upstreams.find((one) => one.wire === sent.speech.wire) ?? CHAT;
          const body = toUpstreamBody(sent, upstream, share) as string;
          expectHeld(body, plan.prompt);
          // If nothing is reported, the prompt that was sent is counted.
          expectHeld(body, sent.prompt);
          expect(tokensBound).toBeGreaterThanOrEqual(boundPrompt(sent.prompt, plan.model).tokensBound);
        }
        expect(plan.sent.map((sent) => sent.speech.wire)).toEqual(upstreams.map((upstream) => upstream.wire));
      }),
      RUNS,
    );
  });
});

/** Requests without content for a model are refused, so none is sent. */
function read(wire: Wire, request: object): ReturnType<Wire['read']> {
  try {
    return wire.read(JSON.parse(JSON.stringify(request)));
  } catch (error) {
    fc.pre((error as { param?: string }).param !== 'input');
    throw error;
  }
}

it(`the inputs to embed are held exactly as they are sent (seed ${String(SEED)})`, () => {
  const catalog = servedBy([CHAT], 'embeddings');
  fc.assert(
    fc.property(requestOf(EMBEDDINGS_FIELDS, ['input'], { model: model.id }), (request) => {
      const { sent, inputs } = planEmbeddings(catalog, caller, readEmbeddings(request));
      expect(walk({ model: 'up', ...sent }, { strings: [], attached: 0 }).strings).toEqual(inputs.texts);
      const numbers = typeof sent.input === 'string' ? [] : sent.input.flat();
      const tokens = numbers.filter((entry) => typeof entry === 'number').length;
      expect(inputs.tokenCounts.reduce((sum, count) => sum + count, 0)).toBe(tokens);
    }),
    RUNS,
  );
});

/** Numeric and boolean fields, which hold no text, and fields that are refused. */
const WITHOUT_TEXT = [
  ...['model', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'logprobs', 'top_logprobs'],
  ...[
    'n',
    'seed',
    'parallel_tool_calls',
    'store',
    'max_tokens',
    'max_completion_tokens',
    'stream',
    'dimensions',
  ],
  ...['stream_options', 'max_output_tokens', 'max_tool_calls', 'truncation'],
  ...['audio', 'prediction', 'web_search_options', 'moderation', 'functions', 'function_call', 'modalities'],
  ...['previous_response_id', 'conversation', 'prompt', 'background'],
];

it.each([
  ['chat', Object.keys(chatCompletionRequest.shape), CHAT_FIELDS],
  ['responses', [...KNOWN], RESPONSES_FIELDS],
  ['messages', Object.keys(messagesRequest.shape), MESSAGES_FIELDS],
  ['embeddings', Object.keys(embeddingsRequest.shape), EMBEDDINGS_FIELDS],
])('the requests fill every field of %s that can hold text', (_wire, known, fields) => {
  const withText = known.filter((name) => !WITHOUT_TEXT.includes(name));
  expect(Object.keys(fields).toSorted()).toEqual(withText.toSorted());
});
