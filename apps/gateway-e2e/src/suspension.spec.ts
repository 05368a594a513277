import { fromPublicId } from '@farebox/auth';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { givenCustomer, startWholeService, waitUntil, type WholeService } from '../test/whole-service';

const LONGEST_WAIT_MS = 60_000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ gateways: 2, gatewayEnv: () => ({ FAREBOX_LEASE: '6s' }) });
});
afterAll(async () => {
  await service.close();
});

interface Chunk {
  object: string;
  choices?: { delta: { content?: string } }[];
  error?: { code: string };
}

/** A stream that would run for more than a minute. Resolves with its last event and all its text when it has ended. */
async function openStream(gatewayUrl: string, apiKey: string) {
  const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'endless',
      max_tokens: 4000,
      stream: true,
      messages: [{ role: 'user', content: 'Talk.' }],
    }),
  });
  let received = '';
  const readAll = async (): Promise<{ last: Chunk | string | undefined; text: string }> => {
    try {
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
        received += Buffer.from(piece).toString();
    } catch {
      // A failed stream is cut off after its error.
    }
    const events = received
      .split('\n\n')
      .filter((event) => event.startsWith('data: '))
      .map((event) => event.slice('data: '.length))
      .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as Chunk)));
    const chunks = events.filter((event) => typeof event !== 'string');
    const text = chunks.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('');
    return { last: events.at(-1), text };
  };
  return { hasBegun: () => received.includes('"content":"'), ended: readAll() };
}

it('a suspension ends the streams of the account on every gateway and charges what they delivered, and no others', async () => {
  const customer = await givenCustomer(service, 'suspended@example.com', '1.00');
  const other = await givenCustomer(service, 'other@example.com', '1.00');
  const streams = await Promise.all(service.gatewayUrls.map((url) => openStream(url, customer.apiKey)));
  const others = await openStream(service.gatewayUrls[0] ?? '', other.apiKey);
  const haveBegun = (): boolean => [...streams, others].every(({ hasBegun }) => hasBegun());
  expect(await waitUntil(haveBegun, LONGEST_WAIT_MS)).toBe(true);

  await service.admin('account', 'suspend', customer.accountId);
  const ends = await Promise.all(streams.map(({ ended }) => ended));
  const ofError = { object: 'error', error: { code: 'beta_access_required' } };
  expect(ends.map(({ last }) => last)).toMatchObject([ofError, ofError]);

  const usage = await service.db.pool.query<{ outcome: string; completion_tokens: number }>(
    'SELECT outcome, completion_tokens FROM usage_record WHERE account_id = $1 ORDER BY completion_tokens',
    [fromPublicId('acct', customer.accountId)],
  );
  const delivered = ends.map(({ text }) => countTokens(text)).sort((a, b) => a - b);
  expect(usage.rows).toEqual(
    delivered.map((completion_tokens) => ({ outcome: 'suspended', completion_tokens })),
  );

  const running = await service.db.pool.query<{ account_id: string }>('SELECT account_id FROM hold');
  expect(running.rows).toEqual([{ account_id: fromPublicId('acct', other.accountId) }]);
  await service.admin('account', 'suspend', other.accountId);
  expect((await others.ended).last).toMatchObject(ofError);
  expect(await service.admin('ledger', 'verify')).toMatchObject({ ok: true });
});
