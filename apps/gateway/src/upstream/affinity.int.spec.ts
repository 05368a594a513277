import {
  sendJson,
  startRoutesHarness,
  type RouteAnswer,
  type RoutesHarness,
} from '../../test/routes-harness';

/**
 * Measures how much several routes cost in prompt cache hits: each server caches only the prompts it has
 * read.
 */

let harness: RoutesHarness;
beforeAll(async () => {
  const routes = ['a', 'b', 'c'].map((upstream) => ({ upstream, model: 'three', weight: '1' }));
  harness = await startRoutesHarness([
    { id: 'one', routes: [{ upstream: 'a', model: 'one' }], context_window: 100_000 },
    { id: 'three', routes, context_window: 100_000 },
  ]);
  for (const route of ['a/one', 'a/three', 'b/three', 'c/three']) harness.answer(route, withPrefixCache());
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** Counts four characters as one token. A cached prefix starts with the prompt and ends at a message. */
function withPrefixCache(): RouteAnswer {
  const known = new Set<string>();
  const tokensOf = (text: string): number => Math.ceil(text.length / 4);
  return (res, { messages }) => {
    let prefix = '';
    let cached = '';
    for (const message of messages) {
      prefix += JSON.stringify(message);
      if (known.has(prefix)) cached = prefix;
      known.add(prefix);
    }
    sendJson(res, 200, {
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: tokensOf(prefix),
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: cached === '' ? 0 : tokensOf(cached) },
      },
    });
  };
}

const CONVERSATIONS = 20;
const TURNS = 5;
const INSTRUCTIONS = 'Be brief. '.repeat(20);

interface Answer {
  usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
}

/**
 * The share of all prompt tokens that came from a cache. Turns of different conversations are interleaved.
 */
async function hitRateOf(model: string): Promise<number> {
  const said = { prompt: 0, cached: 0 };
  const secrets: string[] = [];
  for (let at = 0; at < CONVERSATIONS; at++) secrets.push((await harness.givenKey()).secret);
  const conversations = Array.from({ length: CONVERSATIONS }, (_, at) => [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: `Question ${String(at)} ${'of many words '.repeat(10)}` },
  ]);
  for (let turn = 0; turn < TURNS; turn++)
    for (const [at, messages] of conversations.entries()) {
      const secret = secrets[at] ?? '';
      const { usage } = (await (await harness.complete(secret, model, { messages })).json()) as Answer;
      said.prompt += usage.prompt_tokens;
      said.cached += usage.prompt_tokens_details.cached_tokens;
      messages.push(
        { role: 'assistant', content: 'ok' },
        { role: 'user', content: 'And what else? '.repeat(5) },
      );
    }
  return said.cached / said.prompt;
}

it('three routes reach at least 95% of the prompt cache hit rate of one route', async () => {
  const ofOne = await hitRateOf('one');
  harness.asked();
  const ofThree = await hitRateOf('three');
  expect(new Set(harness.asked())).toEqual(new Set(['a/three', 'b/three', 'c/three']));
  expect(ofOne).toBeGreaterThan(0.5);
  expect(ofThree / ofOne).toBeGreaterThanOrEqual(0.95);
});
