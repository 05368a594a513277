import { countTokens as countWithTokenizer, encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatRequest } from './chat-request';
import {
  countPromptTokens,
  countTokens,
  endlessProse,
  proseOfTokens,
  sequenceFrom,
  shortProse,
  toPieces,
  toTokens,
} from './text';

describe('prose', () => {
  it('is the same for the same seed and another for another', () => {
    expect(shortProse('a')).toBe(shortProse('a'));
    expect(shortProse('a')).not.toBe(shortProse('b'));
  });

  it('consists of whole sentences', () => {
    expect(shortProse('a')).toMatch(/^([A-Z][a-z]*( [a-z]+){5,11}\.( |$)){3,5}$/);
  });

  it('comes in pieces of one token each', () => {
    const pieces: string[] = [];
    for (const piece of endlessProse('pieces')) {
      if (pieces.length === 5_000) break;
      pieces.push(piece);
    }
    expect(pieces.filter((piece) => encode(piece).length !== 1)).toEqual([]);
    expect(encode(pieces.join(''))).toHaveLength(5_000);
  });

  it.each([1, 2, 7, 100, 4_321])('has exactly %i tokens on request', (tokens) => {
    expect(countWithTokenizer(proseOfTokens('exact', tokens))).toBe(tokens);
  });
});

describe('sequenceFrom', () => {
  it('stays below its bound and reaches all of it', () => {
    const next = sequenceFrom('bound');
    const seen = new Set(Array.from({ length: 1_000 }, () => next(7)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

/** The example of OpenAI's cookbook, for which its API counted 124 prompt tokens with gpt-4o. */
const COOKBOOK_MESSAGES: ChatRequest['messages'] = [
  {
    role: 'system',
    content:
      'You are a helpful, pattern-following assistant that translates corporate jargon into plain English.',
  },
  { role: 'system', name: 'example_user', content: 'New synergies will help drive top-line growth.' },
  {
    role: 'system',
    name: 'example_assistant',
    content: 'Things working well together will increase revenue.',
  },
  {
    role: 'system',
    name: 'example_user',
    content:
      "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
  },
  {
    role: 'system',
    name: 'example_assistant',
    content: "Let's talk later when we're less busy about how to do better.",
  },
  {
    role: 'user',
    content: "This late pivot means we don't have time to boil the ocean for the client deliverable.",
  },
];

describe('countPromptTokens', () => {
  it("counts the cookbook's example as OpenAI's API does", async () => {
    expect(await countPromptTokens({ model: 'm', messages: COOKBOOK_MESSAGES })).toBe(124);
  });

  it('counts text parts like text, an image at a fixed price, and the definitions of tools', async () => {
    const count = (content: ChatRequest['messages'][number]['content'], tools?: ChatRequest['tools']) =>
      countPromptTokens({ model: 'm', messages: [{ role: 'user', content }], ...(tools && { tools }) });
    const text = await count('Hello there');
    expect(await count([{ type: 'text', text: 'Hello there' }, { type: 'image_url' }])).toBe(text + 85);

    const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'weather' } }];
    expect(await count('Hello there', tools)).toBe(text + encode(JSON.stringify(tools)).length);
  });
});

describe('tokens', () => {
  it('treats the names of special tokens as text', async () => {
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts an unbroken run of a megabyte without taking minutes', async () => {
    const tokens = await countTokens('a'.repeat(1_000_000));
    expect(tokens).toBeGreaterThan(100_000);
  });

  it('counts long prose the same as in one piece', async () => {
    const prose = `${proseOfTokens('long', 20_000)}\n\n  ${proseOfTokens('other', 20_000)}`;
    expect(await countTokens(prose)).toBe(countWithTokenizer(prose));
  });

  it.each(['letters', 'prose'])('lets everybody else have their turn while it counts %s', async (kind) => {
    const next = sequenceFrom('letters');
    const letters = () => String.fromCodePoint(97 + next(26));
    const text =
      kind === 'prose' ? proseOfTokens('turns', 300_000) : Array.from({ length: 500_000 }, letters).join('');
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    await countTokens(text);
    clearInterval(others);
    expect(turns).toBeGreaterThan(5);
  });

  it('never splits a character', () => {
    const text = 'Zürich 東京 🧑🏽‍🚀';
    const pieces = toPieces(toTokens(text));
    expect(pieces.join('')).toBe(text);
    expect(pieces.join('')).not.toContain('�');
  });
});
