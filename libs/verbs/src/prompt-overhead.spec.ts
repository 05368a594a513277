import { USUAL_DIALECT, type Upstream } from '@farebox/catalog';
import { startSimulatedUpstream, type SimulatedUpstream } from '@farebox/simulated-upstream';
import { measureOverhead } from './prompt-overhead';

let simulated: SimulatedUpstream;
let upstream: Upstream;
beforeAll(async () => {
  simulated = await startSimulatedUpstream({ tokensPerSecond: 50 });
  upstream = {
    id: 'sim',
    baseUrl: simulated.url,
    apiKeyEnv: undefined,
    maxTokensField: 'max_tokens',
    wire: 'chat',
    dialect: USUAL_DIALECT,
    promptCache: 'hidden',
    connectTimeoutMs: 1,
    firstByteTimeoutMs: 1,
    idleTimeoutMs: 1,
    totalTimeoutMs: 1,
  };
});
afterAll(() => simulated.close());

it('measures what a template adds once, around each message and for tools', async () => {
  const plain = await measureOverhead(upstream, 'sim-echo', undefined, 'chat');
  // Three tokens around a message, its role and "hi"; three around the prompt.
  expect(plain).toMatchObject({ prompt: 8, message: 5 });
  const injected = await measureOverhead(upstream, 'sim-template', undefined, 'chat');
  expect(injected).toEqual({ prompt: 8 + 188, message: 5, tools: plain.tools + 227 - 188 });
});

it("uses a messages server's own format", async () => {
  const ofMessages = { ...upstream, wire: 'messages' as const };
  const before = simulated.requests().length;
  const measured = await measureOverhead(ofMessages, 'sim-echo', undefined, 'chat');
  const asked = simulated.requests().slice(before);
  expect(asked.map(({ path }) => path)).toEqual(Array(3).fill('/v1/messages'));
  expect(measured).toMatchObject({ prompt: 8, message: 5 });
  expect(measured.tools).toBeGreaterThan(0);
});

it('sends an embeddings request to an embeddings model: its hold is the overhead of one input', async () => {
  const before = simulated.requests().length;
  const measured = await measureOverhead(upstream, 'sim-embed', undefined, 'embeddings');
  const asked = simulated.requests().slice(before);
  expect(asked.map(({ path }) => path)).toEqual(['/v1/embeddings']);
  expect(measured).toEqual({ prompt: 0, message: expect.any(Number) as number, tools: 0 });
  expect(measured.message).toBeGreaterThan(0);
});

it('costs the operator three requests of one token', () => {
  const bodies = simulated.requests().slice(0, 3);
  expect(bodies.map(({ body }) => (body as { max_tokens: number }).max_tokens)).toEqual([1, 1, 1]);
});

it.each([
  ['answers with an error', 'sim-refuses-401', 'it answered 401.'],
  ['reports nothing', 'sim-no-usage', 'it did not report the tokens of the prompt.'],
])('reports an upstream that %s', async (_what, model, message) => {
  await expect(measureOverhead(upstream, model, undefined, 'chat')).rejects.toThrow(message);
});
