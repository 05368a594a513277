import OpenAI from 'openai';
import { startSimulatedUpstream, type SimulatedUpstream } from './server';

describe('the official client', () => {
  let upstream: SimulatedUpstream;
  let client: OpenAI;
  beforeAll(async () => {
    upstream = await startSimulatedUpstream({ apiKey: 'sk-test' });
    client = new OpenAI({ baseURL: upstream.url, apiKey: 'sk-test', maxRetries: 0 });
  });
  afterAll(() => upstream.close());

  const messages = [{ role: 'user' as const, content: 'Tell me about the harbour.' }];
  const tools = [
    {
      type: 'function' as const,
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ];

  it('lists models', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain('sim-echo');
  });

  it('gets a completion', async () => {
    const completion = await client.chat.completions.create({ model: 'sim-echo', messages });
    expect(completion.choices[0]?.message.content).toMatch(/\.$/);
    expect(completion.usage?.total_tokens).toBeGreaterThan(10);
  });

  it.each(['sim-echo', 'sim-split'])('gets a stream from %s', async (model) => {
    const completion = await client.chat.completions.create({ model, messages });
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let totalTokens = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      totalTokens = chunk.usage?.total_tokens ?? totalTokens;
    }
    expect(text).toBe(completion.choices[0]?.message.content);
    expect(totalTokens).toBe(completion.usage?.total_tokens);
  });

  it('gets a tool call, whole and streamed', async () => {
    const asking = [{ role: 'user' as const, content: 'Please call weather.' }];
    const completion = await client.chat.completions.create({ model: 'sim-echo', messages: asking, tools });
    const [whole] = completion.choices[0]?.message.tool_calls ?? [];
    expect(whole).toMatchObject({ type: 'function', function: { name: 'weather' } });

    const streamed = await client.chat.completions
      .stream({ model: 'sim-echo', messages: asking, tools })
      .finalChatCompletion();
    expect(streamed.choices[0]?.finish_reason).toBe('tool_calls');
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject(whole ?? { absent: true });
  });

  it('gets a refusal as the corresponding error', async () => {
    const refused = client.chat.completions.create({ model: 'sim-refuses-429', messages });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });
});
