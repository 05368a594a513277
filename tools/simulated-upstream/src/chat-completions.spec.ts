import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { startSimulatedUpstream, type SimulatedUpstream } from './server';
import { chatBody, chunksOf, eventsOf, postChat } from '../test/client';

interface Completion {
  model: string;
  choices: {
    message: { content: string; tool_calls?: ToolCall[] };
    finish_reason: string;
    logprobs: Logprobs | null;
  }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}
interface Logprobs {
  content: {
    token: string;
    logprob: number;
    bytes: number[];
    top_logprobs: { token: string; logprob: number }[];
  }[];
}
interface ToolCall {
  id: string;
  function: { name: string; arguments: string };
}

describe('chat completions', () => {
  let upstream: SimulatedUpstream;
  beforeAll(async () => {
    upstream = await startSimulatedUpstream();
  });
  afterAll(() => upstream.close());

  const complete = async (fields: Record<string, unknown> = {}, model = 'sim-echo'): Promise<Completion> => {
    const response = await postChat(upstream, chatBody(model, fields));
    expect(response.status).toBe(200);
    return (await response.json()) as Completion;
  };
  const streamText = async (fields: Record<string, unknown> = {}, model = 'sim-echo'): Promise<string> => {
    const response = await postChat(upstream, chatBody(model, { stream: true, ...fields }));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    return response.text();
  };

  it('returns the same bytes for the same request, and others for another', async () => {
    const [first, second, other] = await Promise.all(
      [chatBody('sim-echo'), chatBody('sim-echo'), chatBody('sim-echo', { seed: 7 })].map(async (body) =>
        (await postChat(upstream, body)).text(),
      ),
    );
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('reports the tokens of its output', async () => {
    const { choices, usage } = await complete();
    const [choice] = choices;
    expect(choice).toMatchObject({ finish_reason: 'stop', logprobs: null });
    expect(usage.completion_tokens).toBe(countTokens(choice?.message.content ?? ''));
    expect(usage.prompt_tokens).toBe(3 + 1 + countTokens('Tell me about the harbour.') + 3);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  });

  it.each(['max_tokens', 'max_completion_tokens'])('stops at %s', async (field) => {
    const { choices, usage } = await complete({ [field]: 4 });
    expect(choices[0]?.finish_reason).toBe('length');
    expect(usage.completion_tokens).toBe(4);
    expect(countTokens(choices[0]?.message.content ?? '')).toBe(4);
  });

  it('returns n different choices and counts them all', async () => {
    const { choices, usage } = await complete({ n: 3 });
    const texts = choices.map(({ message }) => message.content);
    expect(new Set(texts).size).toBe(3);
    expect(usage.completion_tokens).toBe(texts.reduce((sum, text) => sum + countTokens(text), 0));
  });

  it('ends before a stop sequence', async () => {
    const whole = (await complete()).choices[0]?.message.content ?? '';
    const stop = whole.slice(20, 26);
    const { choices, usage } = await complete({ stop: ['never said', stop] });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: whole.split(stop)[0] } });
    expect(usage.completion_tokens).toBe(countTokens(whole.split(stop)[0] ?? ''));
  });

  it('streams the same text, one token a chunk, and the usage last if it is requested', async () => {
    const whole = await complete();
    const chunks = chunksOf(await streamText({ stream_options: { include_usage: true } }));
    const pieces = chunks
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .filter((piece) => piece !== '');
    expect(pieces.join('')).toBe(whole.choices[0]?.message.content);
    expect(pieces).toHaveLength(whole.usage.completion_tokens);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
  });

  it('streams without usage by default, and ends with [DONE]', async () => {
    const text = await streamText({ n: 2 });
    expect(text).not.toContain('usage');
    expect(eventsOf(text).at(-1)).toBe('[DONE]');
    const reasons = chunksOf(text).flatMap(({ choices }) => choices.map((choice) => choice.finish_reason));
    expect(reasons.filter((reason) => reason !== null)).toEqual(['stop', 'stop']);
  });

  it('returns exactly max_tokens tokens as sim-long', async () => {
    const { choices, usage } = await complete({ max_tokens: 1_500 }, 'sim-long');
    expect(usage.completion_tokens).toBe(1_500);
    expect(countTokens(choices[0]?.message.content ?? '')).toBe(1_500);
    expect(choices[0]?.finish_reason).toBe('length');
  });

  it('returns log probabilities on request, token by token', async () => {
    const { choices, usage } = await complete({ logprobs: true, top_logprobs: 2 });
    const told = choices[0]?.logprobs?.content ?? [];
    expect(told).toHaveLength(usage.completion_tokens);
    expect(told.map(({ token }) => token).join('')).toBe(choices[0]?.message.content);
    for (const { token, logprob, bytes, top_logprobs } of told) {
      expect(Buffer.from(bytes).toString()).toBe(token);
      expect(top_logprobs).toHaveLength(2);
      expect(top_logprobs[0]).toMatchObject({ token, logprob });
      expect(top_logprobs[1]?.logprob).toBeLessThan(logprob);
    }
    const chunks = chunksOf(await streamText({ logprobs: true, top_logprobs: 2 }));
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? [])).toEqual(told);
  });

  it('returns JSON on request', async () => {
    const plain = await complete({ response_format: { type: 'json_object' } });
    expect(JSON.parse(plain.choices[0]?.message.content ?? '')).toEqual({
      answer: expect.any(String) as unknown,
    });

    const schema = { type: 'object', properties: { city: { type: 'string' }, degrees: { type: 'integer' } } };
    const fitted = await complete({
      response_format: { type: 'json_schema', json_schema: { name: 'w', schema } },
    });
    expect(JSON.parse(fitted.choices[0]?.message.content ?? '')).toEqual({
      city: expect.any(String) as unknown,
      degrees: expect.any(Number) as unknown,
    });
  });

  describe('tools', () => {
    const tool = (name: string): object => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    });
    const tools = [tool('weather'), tool('time')];
    const asking = [{ role: 'user', content: 'Please call time for me' }];
    const calledBy = async (fields: Record<string, unknown>): Promise<string | undefined> => {
      const [choice] = (await complete({ tools, ...fields })).choices;
      const call = choice?.message.tool_calls?.[0]?.function;
      if (choice && call) {
        expect(choice.finish_reason).toBe('tool_calls');
        expect(JSON.parse(call.arguments)).toEqual({ city: expect.any(String) as unknown });
      }
      return call?.name;
    };

    it('calls the tool that the last user message requests', async () => {
      expect(await calledBy({ messages: asking })).toBe('time');
    });
    it('calls the tool that tool_choice names', async () => {
      const choice = { type: 'function', function: { name: 'weather' } };
      expect(await calledBy({ tool_choice: choice })).toBe('weather');
    });
    it('calls the first if one is required', async () => {
      expect(await calledBy({ tool_choice: 'required' })).toBe('weather');
    });
    it('calls several on request, whole and streamed, unless that is forbidden', async () => {
      const messages = [{ role: 'user', content: 'Please call weather and call time' }];
      const [choice] = (await complete({ tools, messages })).choices;
      const calls = choice?.message.tool_calls ?? [];
      expect(calls.map((call) => call.function.name)).toEqual(['weather', 'time']);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);

      const streamed: ToolCall[] = [];
      for (const { choices } of chunksOf(await streamText({ tools, messages }))) {
        for (const part of choices[0]?.delta.tool_calls ?? []) {
          const call = (streamed[part.index] ??= { id: '', function: { name: '', arguments: '' } });
          call.id += part.id ?? '';
          call.function.name += part.function.name ?? '';
          call.function.arguments += part.function.arguments;
        }
      }
      expect(
        streamed.map(({ id, function: called }) => ({ id, type: 'function', function: called })),
      ).toEqual(calls);

      const one = await complete({ tools, messages, parallel_tool_calls: false });
      expect(one.choices[0]?.message.tool_calls).toHaveLength(1);
    });
    it('cuts the arguments at the limit, and begins no call after it', async () => {
      const messages = [{ role: 'user', content: 'Please call weather and call time' }];
      const { choices, usage } = await complete({ tools, messages, max_tokens: 2 });
      expect(choices[0]).toMatchObject({ finish_reason: 'length' });
      expect(choices[0]?.message.tool_calls).toHaveLength(1);
      expect(usage.completion_tokens).toBe(2);
    });
    it('begins with the results of the tools', async () => {
      const answered = [
        ...asking,
        { role: 'tool', tool_call_id: 'call_1', content: 'noon' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'sunny' }] },
      ];
      const text = (await complete({ tools, messages: answered })).choices[0]?.message.content;
      expect(text).toMatch(/^The tool says noon\. The tool says sunny\. [A-Z]/);
      const later = [
        ...answered,
        { role: 'assistant', content: text },
        { role: 'user', content: 'And now?' },
      ];
      expect((await complete({ tools, messages: later })).choices[0]?.message.content).not.toContain('noon');
    });
    it('calls none if none is requested, or it is forbidden, or one has answered', async () => {
      expect(await calledBy({})).toBeUndefined();
      expect(await calledBy({ messages: asking, tool_choice: 'none' })).toBeUndefined();
      const answered = [...asking, { role: 'tool', tool_call_id: 'call_1', content: 'noon' }];
      expect(await calledBy({ messages: answered })).toBeUndefined();
    });
  });
});
