import { chatCompletionRequest, parseBody } from '@farebox/contracts';
import { readJsonText } from '@farebox/http';
import { toSentBody, toUpstreamBody } from './upstream-body';

/** The body that goes upstream of one that a client sent. */
async function sentOn(text: string): Promise<string> {
  const { value, written } = await readJsonText(Buffer.from(text));
  const request = parseBody(chatCompletionRequest, value);
  const sent = toSentBody({ request, extraFields: {}, maxOutputTokens: 5 }, 'chat');
  return toUpstreamBody(sent, { maxTokensField: 'max_tokens' }, 'm', written).toString();
}

const LONG = 300_000;

it('a long text goes on as it was written, with nothing else of what was sent', async () => {
  const content = `"${'\\u4e2d\\/ "'.replace('"', '\\"').repeat(LONG / 10)}"`;
  const name = '"f"';
  const tools = `[{"function":{"parameters":{"a":1e3,"a":2.50},"name":"g","name":${name}},"type":"function"}]`;
  const body = `{ "store": true, "tools": ${tools}, "model":"x", "messages" : [ {"content": ${content},"role":"user"} ], "user":"me" }`;
  expect(await sentOn(body)).toBe(
    `{"model":"m","messages":[{"role":"user","content":${content}}],"tools":[{"type":"function","function":{"name":"f","parameters":{"a":2.5}}}],"max_tokens":5}`,
  );
});

it('of a text that was sent twice, the one that was checked goes on', async () => {
  const [one, two] = ['x', 'y'].map((letter) => `"${letter.repeat(LONG)}"`) as [string, string];
  expect(await sentOn(`{"model":"x","messages":[{"role":"user","content":${one},"content":${two}}]}`)).toBe(
    `{"model":"m","messages":[{"role":"user","content":${two}}],"max_tokens":5}`,
  );
});

it('a text in a place where only a short one may be is refused, however it is read', async () => {
  const long = 'x'.repeat(LONG);
  await expect(
    sentOn(`{"model":"${long}","messages":[{"role":"user","content":"Hi"}]}`),
  ).rejects.toMatchObject({
    param: 'model',
  });
});
