import { requestText, toBytes } from '../raw-http/request-text';
import { requestIdOf, startBadInputHarness, type BadInput, type BadInputHarness } from '../bad-input-harness';

let harness: BadInputHarness;
beforeAll(async () => {
  harness = await startBadInputHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const OWN_ID = /^req_[0-9a-z]{26}$/;

describe('a request id', () => {
  const asking = (...headers: string[]): string =>
    requestText({ method: 'GET', path: '/v1/models', headers });

  it.each(['x-request-id', 'X-Service-Request-Id'])('of %s is kept if it is well formed', async (name) => {
    const [answer] = await harness.say(asking(`${name}: my.request-1_A`));
    expect(answer && requestIdOf(answer)).toBe('my.request-1_A');
  });

  it.each([
    ['é', toBytes('é')],
    ['é of Latin-1', '\xe9'],
    ['tab', 'a\tb'],
    ['200 characters', 'a'.repeat(200)],
    ['nothing', ''],
    ['a space', 'a b'],
    ['encoded CRLF', 'a%0d%0ab'],
    ['markup', '<b>'],
  ])('with %s is replaced', async (_name, id) => {
    for (const name of ['x-request-id', 'x-service-request-id']) {
      const input = { name, text: asking(`${name}: ${id}`), answer: '401 authentication_error' };
      expect(requestIdOf(await harness.expectRefused(input))).toMatch(OWN_ID);
    }
  });

  it.each([
    ['CRLF and a folded line', 'a\r\n b'],
    ['CRLF and an invalid header', 'a\r\nb'],
    ['CR', 'a\rb'],
    ['LF', 'a\nX-Evil: b'],
    ['NUL', 'a\0b'],
  ])('with %s is invalid HTTP, and is replaced', async (name, id) => {
    const input = { name, text: asking(`x-request-id: ${id}`), answer: '400 invalid_request_error' };
    expect(requestIdOf(await harness.expectRefused(input))).toMatch(OWN_ID);
  });

  it('that comes twice is replaced', async () => {
    const text = asking('x-request-id: a', 'x-request-id: b');
    const answer = await harness.expectRefused({ name: '', text, answer: '401 authentication_error' });
    expect(requestIdOf(answer)).toMatch(OWN_ID);
  });
});

// Tests with another body, in flight, or of another API key: http/chat-completions/idempotency.int.spec.ts.
describe('an Idempotency-Key', () => {
  const BODY = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'Hello' }] });
  const keyed =
    (...keys: string[]): BadInput['text'] =>
    ({ secret }) =>
      requestText({
        headers: [
          `Authorization: Bearer ${secret}`,
          'Content-Type: application/json',
          ...keys.map((key) => `Idempotency-Key: ${key}`),
        ],
        body: BODY,
      });

  it.each([
    ['empty', ''],
    ['of spaces', '   '],
    ['over 255', 'x'.repeat(256)],
    ['not ASCII', toBytes('ключ')],
    ['of Latin-1', 'cl\xe9'],
    ['cut by a tab', 'a\tb'],
  ])('that is %s is refused', async (name, key) => {
    await harness.expectRefused({
      name,
      text: keyed(key),
      answer: '400 invalid_request_error Idempotency-Key',
    });
  });

  it.each([
    ['that differ', ['a', 'b']],
    ['that are the same', ['a', 'a']],
  ])('of two headers %s is refused', async (name, keys) => {
    await harness.expectRefused({ name, text: keyed(...keys), answer: '400 invalid_request_error' });
  });
});
