import { waitUntil } from '@farebox/testing';
import OpenAI from 'openai';
import { sendJson, startRoutesHarness, type RoutesHarness } from '../test/routes-harness';

let harness: RoutesHarness;
beforeAll(async () => {
  const tokenizer = 'o200k_base';
  harness = await startRoutesHarness([
    { id: 'ours', routes: [{ upstream: 'a', model: 'ours' }], tokenizer, context_window: 100 },
    { id: 'theirs', routes: [{ upstream: 'a', model: 'theirs' }], tokenizer },
  ]);
  harness.answer('a/theirs', (res) => {
    sendJson(res, 400, {
      error: { message: 'too long', code: 'context_length_exceeded', param: 'messages' },
    });
  });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

interface Told {
  status: number;
  text: string;
  error: { type: string; code: string; message: string; param: string | null };
  headers: Headers;
}

async function ask(path: string, body: object): Promise<Told> {
  const { secret } = await harness.givenKey();
  const response = await fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as Pick<Told, 'error'>;
  return { status: response.status, text, error, headers: response.headers };
}

/**
 * Which model refuses, and whether the refusal names a window, since a server's window may differ from the
 * catalogue's.
 */
const REFUSED_BY = [
  ['ours', /maximum context length is 100 tokens/],
  ['theirs', /maximum context length(?! is)/],
] as const;
const prompt = 'tram '.repeat(3_000);

describe.each(REFUSED_BY)(
  'a conversation that does not fit, refused by the count that is %s',
  (model, said) => {
    const messages = [{ role: 'user', content: prompt }];

    it.each([false, true])(
      'has the error text of OpenAI in chat, within the closed set of codes (stream: %s)',
      async (stream) => {
        const { status, error, headers } = await ask('/v1/chat/completions', { model, messages, stream });
        expect(status).toBe(400);
        expect(error).toMatchObject({
          type: 'invalid_request_error',
          code: 'invalid_request_error',
          param: 'messages',
        });
        // Qwen Code and opencode; pi; any client that looks only at the code.
        expect(error.message).toMatch(said);
        expect(error.message).toMatch(/reduce the length of the messages/i);
        expect(error.message).toContain('context_length_exceeded');
        // Copilot CLI.
        expect(error.message).toMatch(/^Your input exceeds the context window of this model/);
        expect(headers.get('x-should-retry')).toBe('false');
      },
    );

    it.each([false, true])('has the error text of Anthropic in messages (stream: %s)', async (stream) => {
      const { status, error } = await ask('/v1/messages', { model, messages, max_tokens: 10, stream });
      expect(status).toBe(400);
      expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_request_error' });
      expect(error.message).toMatch(
        model === 'ours'
          ? /^prompt is too long: 1\d\d tokens > 100 maximum$/
          : /^prompt is too long: it exceeds/,
      );
    });

    it('has the code of OpenAI in Responses', async () => {
      const { status, error } = await ask('/v1/responses', { model, input: prompt });
      expect(status).toBe(400);
      expect(error).toEqual({
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        param: 'input',
      });
    });

    it('ends a stream of Responses as failed, which is where Codex looks, and charges nothing', async () => {
      const { status, text, headers } = await ask('/v1/responses', { model, input: prompt, stream: true });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
      const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as object);
      const code = 'context_length_exceeded';
      expect(events).toMatchObject([
        { type: 'response.created', sequence_number: 0, response: { status: 'in_progress', model } },
        { type: 'response.in_progress', sequence_number: 1 },
        { type: 'error', sequence_number: 2, code, error: { code } },
        { type: 'response.failed', sequence_number: 3, response: { status: 'failed', error: { code } } },
      ]);
    });

    it('is an error for the SDK, whole and streamed', async () => {
      const { secret } = await harness.givenKey();
      const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: secret, maxRetries: 0 });
      const code = 'context_length_exceeded';
      await expect(client.responses.create({ model, input: prompt })).rejects.toMatchObject({
        status: 400,
        code,
      });
      const streamed = async () => {
        const events = await client.responses.create({ model, input: prompt, stream: true });
        for await (const { type } of events) expect(type).not.toBe('response.completed');
      };
      await expect(streamed()).rejects.toMatchObject({ code });
    });
  },
);

it('is listed as refused for the account', async () => {
  const { secret, accountId } = await harness.givenKey();
  const response = await fetch(`${harness.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'ours', input: prompt, stream: true }),
  });
  await response.text();
  const sql = 'SELECT outcome, error_code, streamed FROM uncharged_request WHERE account_id = $1';
  const rows = async (): Promise<object[]> => (await harness.db.pool.query<object>(sql, [accountId])).rows;
  await waitUntil(async () => (await rows()).length > 0, 'the refusal is noted');
  expect(await rows()).toEqual([{ outcome: 'refused', error_code: 'invalid_request_error', streamed: true }]);
});
