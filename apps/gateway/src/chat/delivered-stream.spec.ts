import type { ChunkChoice } from '../upstream/answers';
import { DeliveredStream } from './delivered-stream';

function choiceOf(delta: ChunkChoice['delta'], more: Partial<ChunkChoice> = {}): ChunkChoice {
  return { index: 0, delta, finish_reason: null, ...more };
}

function keptOf(...chunks: ChunkChoice[]): ChunkChoice[] {
  const delivered = new DeliveredStream({ longestKept: 1_000_000 });
  for (const chunk of chunks) delivered.note([chunk]);
  return delivered.choices ?? [];
}

describe('a delivered stream', () => {
  it('has its text per choice, and is empty without any', () => {
    const delivered = new DeliveredStream({ longestKept: undefined });
    delivered.note([choiceOf({ role: 'assistant', content: '' })]);
    expect(delivered.isEmpty).toBe(true);
    delivered.note([choiceOf({ content: 'a' }), choiceOf({ content: 'x' }, { index: 1 })]);
    delivered.note([choiceOf({ refusal: 'b' })]);
    expect(delivered.isEmpty).toBe(false);
    expect([...delivered.texts()]).toEqual(['ab', 'x']);
    expect(delivered.choices).toBeUndefined();
  });

  it('is merged up to the finish of each choice', () => {
    expect(
      keptOf(
        choiceOf({ role: 'assistant', content: null }),
        choiceOf({ role: 'assistant', content: '' }, { index: 1 }),
        choiceOf({ content: 'one' }),
        choiceOf({ content: 'eins' }, { index: 1 }),
        choiceOf({ content: ' two', reasoning_content: 'why' }),
        choiceOf({ refusal: 'no' }),
        choiceOf({}, { finish_reason: 'stop' }),
        choiceOf({ content: '!' }, { index: 1, finish_reason: 'length' }),
      ),
    ).toEqual([
      choiceOf({ role: 'assistant', content: 'one two', reasoning_content: 'why', refusal: 'no' }),
      choiceOf({ role: 'assistant', content: 'eins' }, { index: 1 }),
      choiceOf({}, { finish_reason: 'stop' }),
      choiceOf({ content: '!' }, { index: 1, finish_reason: 'length' }),
    ]);
  });

  it('joins the arguments of a tool call, and keeps calls apart', () => {
    const call = (index: number, more: object) => ({ index, ...more });
    const kept = keptOf(
      choiceOf({ tool_calls: [call(0, { id: 'call_a', function: { name: 'f', arguments: '' } })] }),
      choiceOf({ tool_calls: [call(0, { function: { arguments: '{"a"' } })] }),
      choiceOf({ tool_calls: [call(0, { function: { arguments: ':1}' } })] }),
      choiceOf({ tool_calls: [call(1, { id: 'call_b', function: { name: 'g', arguments: '{}' } })] }),
      choiceOf({ tool_calls: [call(1, { function: {} })] }),
    );
    expect(kept).toEqual([
      choiceOf({
        tool_calls: [
          { index: 0, id: 'call_a', function: { name: 'f', arguments: '{"a":1}' } },
          { index: 1, id: 'call_b', function: { name: 'g', arguments: '{}' } },
        ],
      }),
    ]);
  });

  it('leaves chunks with log probabilities as they are', () => {
    const logprobs = { content: null, refusal: null };
    const chunks = ['a', 'b'].map((content) => choiceOf({ content }, { logprobs }));
    expect(keptOf(...chunks, choiceOf({ content: 'c' }))).toEqual([...chunks, choiceOf({ content: 'c' })]);
  });

  it('has no long chunks', () => {
    const kept = keptOf(...Array.from({ length: 100 }, () => choiceOf({ content: 'x'.repeat(1_000) })));
    expect(kept.map(({ delta }) => delta.content?.length)).toEqual([
      17_000, 17_000, 17_000, 17_000, 17_000, 15_000,
    ]);
  });

  it('does not change the chunks that it gets', () => {
    const first = choiceOf({ content: 'a' });
    keptOf(first, choiceOf({ content: 'b' }));
    expect(first).toEqual(choiceOf({ content: 'a' }));
  });
});
