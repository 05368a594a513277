import { requestText } from '../raw-http/request-text';
import { headerOf } from '../raw-http/parse-answers';
import { startBadInputHarness, type BadInputHarness, type Customer } from '../bad-input-harness';

let harness: BadInputHarness;
beforeAll(async () => {
  harness = await startBadInputHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const LIMIT_BYTES = 4 * 1024 * 1024;
const JSON_TYPE = 'Content-Type: application/json';
const BODY = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'Hello' }] });
const key = ({ secret }: Customer): string => `Authorization: Bearer ${secret}`;
const chunk = (bytes: string): string => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;

const declared =
  (...headers: string[]) =>
  (customer: Customer): string =>
    requestText({ headers: [key(customer), ...headers, `Content-Length: ${String(LIMIT_BYTES + 1)}`] });
const inChunks =
  (...headers: string[]) =>
  (customer: Customer): string =>
    requestText({ headers: [key(customer), ...headers, 'Transfer-Encoding: chunked'] }) +
    chunk(BODY + ' '.repeat(LIMIT_BYTES - BODY.length)) +
    chunk(' ');

it.each([
  { name: 'over the limit, declared', text: declared(JSON_TYPE) },
  { name: 'over the limit, in chunks', text: inChunks(JSON_TYPE) },
  { name: 'over any number', text: declared(JSON_TYPE), length: '9007199254740993' },
  { name: 'over the limit, declared, with another content type', text: declared('Content-Type: text/plain') },
  {
    name: 'over the limit, in chunks, with another content type',
    text: inChunks('Content-Type: text/plain'),
  },
  { name: 'over the limit, declared, compressed', text: declared(JSON_TYPE, 'Content-Encoding: gzip') },
  { name: 'over the limit, in chunks, compressed', text: inChunks(JSON_TYPE, 'Content-Encoding: gzip') },
])('a body $name is refused, and the rest of it is not read', async ({ name, text, length }) => {
  const sent = (customer: Customer): string =>
    length === undefined ? text(customer) : text(customer).replace(String(LIMIT_BYTES + 1), length);
  const answer = await harness.expectRefused({ name, text: sent, answer: '413 request_too_large' });
  expect(headerOf(answer, 'connection')).toBe('close');
});

it('a body of exactly the limit is read', async () => {
  const customer = await harness.givenKey();
  const body = BODY + ' '.repeat(LIMIT_BYTES - BODY.length);
  const [answer] = await harness.say(requestText({ headers: [key(customer), JSON_TYPE], body }));
  expect(answer?.status).toBe(200);
});
