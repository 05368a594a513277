import type { PromptOverhead, Upstream } from '@farebox/catalog';

/** The most tokens that were seen around texts of one token each; never less than the template's own. */
export type MeasuredOverhead = PromptOverhead;

const ANSWER_TIMEOUT_MS = 60_000;

const user = { role: 'user', content: 'hi' };
const assistant = { role: 'assistant', content: 'hi' };
const TOOL = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} } },
};

/**
 * Sends three requests of one output token each: one message, three messages, and one with a tool. What they differ in is
 * what the template adds, the few tokens of the texts included, so that the result errs on the side of too much. Throws
 * an error whose message an operator may read.
 */
export async function measureOverhead(
  upstream: Upstream,
  upstreamModel: string,
  secret: string | undefined,
): Promise<MeasuredOverhead> {
  const ask = (more: object): Promise<number> => promptTokensOf(upstream, upstreamModel, secret, more);
  const one = await ask({ messages: [user] });
  const three = await ask({ messages: [user, assistant, user] });
  const withTool = await ask({ messages: [user], tools: [TOOL] });
  const message = Math.max(0, Math.ceil((three - one) / 2));
  return { prompt: one, message, tools: Math.max(0, withTool - one) };
}

async function promptTokensOf(
  { baseUrl, maxTokensField }: Upstream,
  upstreamModel: string,
  secret: string | undefined,
  more: object,
): Promise<number> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    },
    body: JSON.stringify({ model: upstreamModel, [maxTokensField]: 1, ...more }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${String(response.status)}.`);
  }
  const { usage } = (await response.json()) as { usage?: { prompt_tokens?: unknown } };
  const tokens = usage?.prompt_tokens;
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens))
    throw new Error('it did not report the tokens of the prompt.');
  return tokens;
}
