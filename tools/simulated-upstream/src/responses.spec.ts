import { startSimulatedUpstream, type SimulatedUpstream } from './server';

let upstream: SimulatedUpstream;
beforeAll(async () => {
  upstream = await startSimulatedUpstream();
});
afterAll(() => upstream.close());

async function ask(body: object): Promise<{ status: number; json: Record<string, unknown> }> {
  const init = { method: 'POST', body: JSON.stringify({ model: 'sim-echo', ...body }) };
  const response = await fetch(`${upstream.url}/responses`, init);
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

it('returns a message, and counts its tokens', async () => {
  const { status, json } = await ask({ input: 'Hello', max_output_tokens: 500 });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text' }] }],
  });
});

it('requires the seals of its thoughts, and no others', async () => {
  const include = ['reasoning.encrypted_content'];
  const first = await ask({ model: 'sim-reasons', input: 'Think.', include });
  const output = first.json['output'] as { type: string }[];
  expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  const input = [{ role: 'user', content: 'Think.' }, ...output, { role: 'user', content: 'Go on.' }];
  expect((await ask({ model: 'sim-reasons', input, include })).status).toBe(200);
  const forged = input.map((item) => ('summary' in item ? { ...item, encrypted_content: 'mine' } : item));
  expect((await ask({ model: 'sim-reasons', input: forged, include })).status).toBe(400);
});
