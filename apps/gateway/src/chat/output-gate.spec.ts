import { BYTES_AT_ONCE } from '@farebox/flow';
import fc from 'fast-check';
import { turn } from '../../test/fake-upstream';
import { textOfChunk } from '../upstream/stream-reader';
import type { ChunkChoice } from '../upstream/answers';
import { NO_WORDS } from '../tokens/single-token-words';
import { OutputGate } from './output-gate';
import { withinLimit } from './output-limit';

const WORD = new Set([' word']);

class SearchedWords extends Set<string> {
  /** Number of words that were looked up. */
  searched = 0;

  override has(word: string): boolean {
    this.searched++;
    return super.has(word);
  }
}

/** Words are tokens. */
const countWords = (texts: readonly string[]): Promise<number> =>
  Promise.resolve(texts.reduce((sum, text) => sum + (text.match(/ ?[^ ]+/g)?.length ?? 0), 0));

const say = (content: string, index = 0): ChunkChoice => ({ index, delta: { content }, finish_reason: null });

/** A gate whose passage records what it passes on. */
function givenGate(tokens: number, choices = 1, words = NO_WORDS) {
  const passed: ChunkChoice[] = [];
  const seen = { passed, counts: 0, cut: 0, calls: [] as string[] };
  const gate = new OutputGate({
    limit: { tokens, mostCounted: tokens },
    choices,
    count: (texts) => {
      seen.counts++;
      return countWords(texts);
    },
    words,
  });
  const count = async (): Promise<void> => {
    seen.calls.push('wait');
    if (await gate.count((some) => passed.push(...some))) seen.cut++;
    else seen.calls.push('go');
  };
  const offer = (some: ChunkChoice[]): void => {
    if (gate.take(some)) passed.push(...some);
    else if (!gate.isCounting) void count();
  };
  return { gate, offer, seen, text: () => passed.map((choice) => textOfChunk([choice])).join('') };
}

describe('the gate of a stream', () => {
  it('passes text with no more bytes than tokens left on without a count', () => {
    const { offer, seen } = givenGate(100);
    for (let i = 0; i < 20; i++) offer([say(' word')]);
    expect(seen).toMatchObject({ counts: 0, calls: [] });
    expect(seen.passed).toHaveLength(20);
  });

  it('does not count words that are known to be one token', () => {
    const { offer, seen, text } = givenGate(100, 1, WORD);
    for (let i = 0; i < 90; i++) offer([say(' word')]);
    expect(seen).toMatchObject({ counts: 0, calls: [] });
    expect(text()).toBe(' word'.repeat(90));
  });

  it('does not use a single-token word that comes after the text it passes on', async () => {
    const { offer, seen, text } = givenGate(8, 1, WORD);
    for (let i = 0; i < 40; i++) offer([say(' word')]);
    for (let i = 0; i < 4; i++) await turn();
    expect(text()).toBe(' word'.repeat(8));
    expect(seen.cut).toBe(1);
  });

  it('passes a stream on that keeps to its limit, in its order and to its end, with few counts', async () => {
    const { gate, offer, seen, text } = givenGate(1_000);
    for (let i = 0; i < 1_000; i++) {
      offer([say(' word')]);
      await turn();
    }
    offer([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    await turn();
    expect(text()).toBe(' word'.repeat(1_000));
    expect(seen.passed.at(-1)?.finish_reason).toBe('stop');
    expect(seen.cut).toBe(0);
    expect(gate.isCounting).toBe(false);
    expect(seen.counts).toBeLessThan(50);
  });

  it('cuts exactly at the limit, however the pieces are cut and however many choices there are', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 3 }),
        sizes,
        fc.constantFrom(NO_WORDS, WORD),
        async (limit, choices, pieces, words) => {
          const { offer, seen, text } = givenGate(limit, choices, words);
          let said = 0;
          for (const [at, count] of pieces.entries()) {
            offer([say(' word'.repeat(count), at % choices)]);
            said += count;
            if (count % 2 === 0) await turn();
          }
          for (let i = 0; i < 4; i++) await turn();
          expect(await countWords([text()])).toBe(Math.min(said, limit));
          expect(seen.cut).toBe(said > limit ? 1 : 0);
          const finishes = seen.passed.filter(({ finish_reason: reason }) => reason === 'length').length;
          expect(finishes).toBe(said > limit ? choices : 0);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('counts no more of a huge piece than could be within the limit', async () => {
    const { offer, seen, text } = givenGate(20);
    offer([say(' word'.repeat(200_000))]);
    await turn();
    expect(seen).toMatchObject({ counts: 1, cut: 1 });
    expect(await countWords([text()])).toBeLessThanOrEqual(20);
    expect(await countWords([text()])).toBeGreaterThanOrEqual(19);
  });
});

it('searches a long stream for known words in parts, one for each piece that comes', () => {
  const words = new SearchedWords([' word']);
  const { offer, seen } = givenGate(1_000_000, 1, words);
  offer([say(' word'.repeat(200_000))]);
  expect(words.searched).toBe(0);
  offer([say(' word')]);
  expect(words.searched).toBeGreaterThan(0);
  expect(words.searched).toBeLessThanOrEqual(BYTES_AT_ONCE / ' word'.length);
  expect(seen).toMatchObject({ counts: 0, cut: 0 });
});

describe('a whole response', () => {
  it('is counted, and not searched for known words, if it is long', async () => {
    const message = { role: 'assistant' as const, content: ' word'.repeat(800_000), refusal: null };
    const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' as const };
    const limit = { tokens: 800_000, mostCounted: 800_000 };
    const words = new SearchedWords([' word']);
    const { isCut } = await withinLimit([choice], limit, countWords, words);
    expect({ isCut, searched: words.searched }).toEqual({ isCut: false, searched: 0 });
  });

  it('is not counted if it consists of words that are known to be one token', async () => {
    const message = { role: 'assistant' as const, content: ' word'.repeat(90), refusal: null };
    const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' as const };
    const limit = { tokens: 100, mostCounted: 100 };
    const count = (): Promise<number> => Promise.reject(new Error('it is counted'));
    const { choices, isCut } = await withinLimit([choice], limit, count, WORD);
    expect({ choices, isCut }).toEqual({ choices: [choice], isCut: false });
  });

  it('is cut off at its limit, with the calls that remain', async () => {
    const call = {
      id: 'call_1',
      type: 'function' as const,
      function: { name: 'f', arguments: ' a'.repeat(9) },
    };
    const choice = (content: string, index: number) => ({
      index,
      message: { role: 'assistant' as const, content, refusal: null, tool_calls: [call] },
      logprobs: null,
      finish_reason: 'tool_calls' as const,
    });
    const limit = { tokens: 12, mostCounted: 12 };
    const { choices, isCut } = await withinLimit(
      [choice(' b'.repeat(6), 0), choice(' b', 1)],
      limit,
      countWords,
      NO_WORDS,
    );
    expect(isCut).toBe(true);
    expect(choices[0]?.message.content).toBe(' b'.repeat(6));
    expect(choices.map(({ finish_reason: reason }) => reason)).toEqual(['length', 'length']);
    expect(choices[1]?.message).toMatchObject({ content: '' });
    expect(choices[1]?.message).not.toHaveProperty('tool_calls');
  });
});
