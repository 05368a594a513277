import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fromPublicId } from '@farebox/auth';
import { fromDecimalUsd } from '@farebox/money';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { givenCustomer, startWholeService, waitUntil, type WholeService } from '../test/whole-service';

/** By gateway: longer than the requests take on a busy machine, and shorter than they take at least. */
const DRAIN_MS = [60_000, 4_000];
const LONGEST_WAIT_MS = 60_000;
/** Parallel answers of a paced stream, which take much longer. */
const MANY_CHOICES = 8;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({
    gateways: 2,
    gatewayEnv: (number) => ({ FAREBOX_DRAIN_TIMEOUT: `${String(DRAIN_MS[number])}ms` }),
  });
});
afterAll(async () => {
  await service.close();
});

interface Customer {
  apiKey: string;
  accountId: string;
}

function ask(gatewayUrl: string, { apiKey }: Customer, body: object): Promise<Response> {
  return fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Tell me something.' }], ...body }),
  });
}

interface Reading {
  /** Resolves when the first piece has arrived. */
  begun: Promise<unknown>;
  /** The data of every event after the end of the stream, and whether it was cut off. */
  ended: Promise<{ events: string[]; cut: boolean }>;
}

function read(response: Response): Reading {
  let text = '';
  let begin: (value?: unknown) => void;
  const begun = new Promise((resolve) => (begin = resolve));
  const readOn = async (): Promise<{ events: string[]; cut: boolean }> => {
    let cut = false;
    try {
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(piece).toString();
        begin();
      }
    } catch {
      cut = true;
    }
    const events = text.split('\n\n').filter((event) => event.startsWith('data: '));
    return { events: events.map((event) => event.slice('data: '.length)), cut };
  };
  return { begun, ended: readOn() };
}

interface Chunk {
  choices?: { index: number; delta: { content?: string } }[];
  usage?: { cost: string };
  error?: { code: string };
}

const chunksOf = (events: string[]): Chunk[] =>
  events.filter((event) => event !== '[DONE]').map((event) => JSON.parse(event) as Chunk);

/** A connection with one answered request, and everything received on it from now on. */
async function givenOpenConnection(gatewayUrl: string): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(gatewayUrl);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await waitUntil(() => received.includes('{"status":"ok"}'), LONGEST_WAIT_MS)).toBe(true);
  received = '';
  return { socket, received: () => received };
}

const usageOf = async ({ accountId }: Customer) =>
  (
    await service.db.pool.query<{ outcome: string; completion_tokens: number; cost_nano: string }>(
      `SELECT outcome, completion_tokens, cost_nano::text FROM usage_record
       WHERE account_id = $1 ORDER BY streamed`,
      [fromPublicId('acct', accountId)],
    )
  ).rows;

async function expectBooksRight(): Promise<void> {
  expect((await service.db.pool.query('SELECT 1 FROM hold')).rowCount).toBe(0);
  expect(await service.admin('ledger', 'verify')).toMatchObject({ ok: true });
}

it('a gateway that is asked to stop finishes running requests, refuses new ones, and exits with 0', async () => {
  const [gateway] = service.gateways;
  const [url = ''] = service.gatewayUrls;
  const customer = await givenCustomer(service, 'patient@example.com', '1.00');
  const open = await givenOpenConnection(url);
  const whole = ask(url, customer, { model: 'slow' });
  const stream = read(
    await ask(url, customer, {
      model: 'paced',
      stream: true,
      max_tokens: 100,
      stream_options: { include_usage: true },
    }),
  );
  await stream.begun;
  expect(await waitUntil(() => service.upstream.requests().length === 2, LONGEST_WAIT_MS)).toBe(true);

  gateway?.signal('SIGTERM');
  await gateway?.until(gateway.output.waitForLine('"event":"stopping"'));
  open.socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(open.socket, 'close');
  expect(open.received()).toMatch(/^HTTP\/1\.1 503 [^]*Connection: close[^]*not_ready/);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();

  const { events, cut } = await stream.ended;
  expect([cut, events.at(-1)]).toEqual([false, '[DONE]']);
  const answer = await whole;
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  const { usage } = (await answer.json()) as { usage: { cost: string } };
  expect(await gateway?.exited).toEqual({ code: 0, signal: null });

  const costs = [usage.cost, chunksOf(events).at(-1)?.usage?.cost ?? ''];
  expect(await usageOf(customer)).toMatchObject(
    costs.map((cost) => ({ outcome: 'completed', cost_nano: String(fromDecimalUsd(cost)) })),
  );
  await expectBooksRight();
});

it('a stream that does not end in time gets an error and is charged for what was delivered', async () => {
  const [, gateway] = service.gateways;
  const [, url = ''] = service.gatewayUrls;
  const customer = await givenCustomer(service, 'endless@example.com', '1.00');
  const open = await givenOpenConnection(url);
  const stream = read(await ask(url, customer, { model: 'paced', stream: true, n: MANY_CHOICES }));
  await stream.begun;

  gateway?.signal('SIGTERM');
  await gateway?.until(gateway.output.waitForLine('"event":"stopping"'));
  open.socket.write(
    'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  );
  await once(open.socket, 'close');
  for (const header of ['HTTP/1.1 503 ', 'Connection: close', 'Retry-After: 1', 'x-should-retry: true'])
    expect(open.received()).toContain(header);
  expect(open.received()).toContain('"code":"service_unavailable"');

  const { events, cut } = await stream.ended;
  const chunks = chunksOf(events);
  expect([cut, events.includes('[DONE]')]).toEqual([true, false]);
  expect(chunks.at(-1)).toMatchObject({ object: 'error', error: { code: 'service_unavailable' } });
  expect(await gateway?.exited).toEqual({ code: 0, signal: null });

  const texts = Array<string>(MANY_CHOICES).fill('');
  for (const { index, delta } of chunks.flatMap(({ choices }) => choices ?? []))
    texts[index] = (texts[index] ?? '') + (delta.content ?? '');
  const [usage, ...others] = await usageOf(customer);
  expect(others).toEqual([]);
  expect(usage).toMatchObject({
    outcome: 'shutdown',
    completion_tokens: texts.reduce((sum, text) => sum + countTokens(text), 0),
  });
  expect(usage?.completion_tokens).toBeGreaterThan(0);
  await expectBooksRight();
});
