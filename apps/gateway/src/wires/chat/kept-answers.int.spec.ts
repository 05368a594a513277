import { chatCompletion } from '@farebox/api';
import { purgeKeptAnswers } from '@farebox/ledger';
import { startGatewayHarness, type GatewayHarness } from '../../../test/gateway-harness';
import { readStream } from '../../../test/read-stream';
import { answerOf, codeOf, givenRepeatingClient } from '../../../test/repeating-client';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** Tables with a row that contains the text, plain or as bytes. */
async function tablesWith(text: string): Promise<string[]> {
  const hex = Buffer.from(text).toString('hex');
  const tables = await harness.db.pool.query<{ name: string }>(
    `SELECT format('%I', table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const sql = `SELECT 1 FROM ${name} t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0 LIMIT 1`;
    if (((await harness.db.pool.query(sql, [text, hex])).rowCount ?? 0) > 0) found.push(name);
  }
  return found;
}

it('answers are kept, but cannot be read anywhere in the database', async () => {
  const client = await givenRepeatingClient(harness);
  const messages = [{ role: 'user', content: 'A very private question about zebras' }];
  const whole = chatCompletion.parse(
    await (await client.ask('whole zebra key', 'echo', { messages })).json(),
  );
  const stream = await readStream(await client.ask('stream zebra key', 'echo', { messages, stream: true }));
  const { rows } = await harness.db.pool.query<{ state: string; bytes: number }>(
    'SELECT state, length(answer) AS bytes FROM idempotency_claim WHERE api_key_id = $1',
    [client.apiKeyId],
  );
  const wholeText = whole.choices[0]?.message.content ?? '';
  expect(rows.map(({ state }) => state)).toEqual(['answered', 'answered']);
  expect(Math.min(...rows.map(({ bytes }) => bytes))).toBeGreaterThan(stream.text.length);

  expect(await tablesWith('whole zebra key')).toContain('idempotency_claim');
  expect([wholeText.length, stream.text.length].every((length) => length > 10)).toBe(true);
  for (const secret of ['private question', wholeText.slice(0, 10), stream.text.slice(0, 10)]) {
    expect(await tablesWith(secret)).toEqual([]);
    expect(harness.logText()).not.toContain(secret);
  }
});

it('a request without a key keeps nothing', async () => {
  const { secret, apiKeyId } = await harness.givenKey();
  expect((await harness.complete(secret, 'echo')).status).toBe(200);
  const sql = 'SELECT 1 FROM idempotency_claim WHERE api_key_id = $1';
  expect((await harness.db.pool.query(sql, [apiKeyId])).rowCount).toBe(0);
});

it.each([
  ['altered', 'set_byte(answer, length(answer) - 1, get_byte(answer, length(answer) - 1) # 1)'],
  ['of a key that was taken away', 'set_byte(answer, 0, 9)'],
])(
  'an answer that is %s is withheld, the request does not run again, and operators are notified',
  async (_name, alteration) => {
    const client = await givenRepeatingClient(harness);
    await client.ask('once', 'echo');
    await harness.db.pool.query(`UPDATE idempotency_claim SET answer = ${alteration} WHERE api_key_id = $1`, [
      client.apiKeyId,
    ]);
    const before = harness.upstream.requests().length;
    const response = await client.ask('once', 'echo');
    expect([response.status, await codeOf(response)]).toEqual([500, 'billing_error']);
    expect(harness.logText()).toContain('"event":"kept_answer_unreadable"');
    expect(harness.upstream.requests()).toHaveLength(before);
    expect(await client.entries('charge')).toBe(1);
  },
);

it('after its retention the answer is purged, and the key may be used again', async () => {
  const client = await givenRepeatingClient(harness);
  const first = chatCompletion.parse(await (await client.ask('once', 'echo')).json());
  const kept = await harness.db.pool.query<{ hours: number }>(
    `SELECT extract(epoch FROM expires_at - now()) / 3600 AS hours FROM idempotency_claim WHERE api_key_id = $1`,
    [client.apiKeyId],
  );
  expect(Math.round(Number(kept.rows[0]?.hours))).toBe(24);
  await harness.db.pool.query('UPDATE idempotency_claim SET expires_at = now() WHERE api_key_id = $1', [
    client.apiKeyId,
  ]);
  const later = chatCompletion.parse(await (await client.ask('once', 'echo')).json());
  expect(later.id).not.toBe(first.id);
  expect(await client.entries('charge')).toBe(2);
});

/** Over 16 KiB, so it is written in parts before its charge. */
const LONG = { max_tokens: 4_096, n: 8 };

describe('a long answer', () => {
  it('is replayed unchanged, whole and as a stream, and cannot be read in the database', async () => {
    const client = await givenRepeatingClient(harness);
    const whole = await (await client.ask('whole', 'long', LONG)).text();
    const again = await client.ask('whole', 'long', LONG);
    expect([again.headers.get('idempotent-replayed'), await again.text()]).toEqual(['true', whole]);
    const streamed = { ...LONG, stream: true };
    const stream = await readStream(await client.ask('stream', 'long', streamed));
    const streamAgain = await readStream(await client.ask('stream', 'long', streamed));
    expect(answerOf(streamAgain.chunks)).toEqual(answerOf(stream.chunks));
    expect(await client.entries('charge')).toBe(2);
    const { rows } = await harness.db.pool.query<{ parts: number }>(
      'SELECT parts FROM kept_answer WHERE account_id = $1',
      [client.accountId],
    );
    expect(rows.map(({ parts }) => parts > 1)).toEqual([true, true]);
    const text = chatCompletion.parse(JSON.parse(whole)).choices[0]?.message.content?.slice(0, 20) ?? '';
    expect(text).toHaveLength(20);
    expect(await tablesWith(text)).toEqual([]);
  });

  it.each([
    [
      'altered',
      'UPDATE kept_answer_part SET ciphertext = set_byte(ciphertext, 40, get_byte(ciphertext, 40) # 1)',
    ],
    [
      'cut short',
      'DELETE FROM kept_answer_part p WHERE part = (SELECT parts - 1 FROM kept_answer k WHERE k.hold_id = p.hold_id)',
    ],
    ['in another order', 'UPDATE kept_answer_part SET part = -part'],
  ])('that was %s is withheld, and the request does not run again', async (_name, alteration) => {
    const client = await givenRepeatingClient(harness);
    await client.ask('once', 'long', LONG);
    await harness.db.pool.query(alteration);
    const before = harness.upstream.requests().length;
    const response = await client.ask('once', 'long', LONG);
    expect([response.status, await codeOf(response)]).toEqual([500, 'billing_error']);
    expect(harness.upstream.requests()).toHaveLength(before);
    expect(await client.entries('charge')).toBe(1);
  });
});

describe('the storage for answers', () => {
  let bounded: GatewayHarness;
  beforeAll(async () => {
    bounded = await startGatewayHarness({ keptBytesPerAnswer: 200_000, keptBytesPerAccount: 400_000 });
  });
  afterAll(async () => {
    await bounded.expectSettled();
    await bounded.close();
  });

  /** Bytes kept for all accounts, in every form. */
  async function keptBytes(): Promise<number> {
    await purgeKeptAnswers(bounded.db.workerPool);
    const { rows } = await bounded.db.pool.query<{ bytes: string }>(
      `SELECT (SELECT coalesce(sum(length(answer)), 0) FROM idempotency_claim)
            + (SELECT coalesce(sum(length(ciphertext)), 0) FROM kept_answer_part) AS bytes`,
    );
    return Number(rows[0]?.bytes);
  }

  it.each([false, true])(
    'is limited for each answer: a longer one is sent and charged, but not replayed; stream: %s',
    async (stream) => {
      const client = await givenRepeatingClient(bounded);
      const tooLong = { max_tokens: 4_096, n: 16, stream };
      const before = await keptBytes();
      const first = await client.ask('once', 'long', tooLong);
      expect(first.status).toBe(200);
      expect((await first.text()).length).toBeGreaterThan(200_000);
      await bounded.expectSettled();
      const again = await client.ask('once', 'long', tooLong);
      expect([again.status, again.headers.get('x-should-retry')]).toEqual([500, 'false']);
      expect(await again.json()).toMatchObject({
        error: { code: 'billing_error', message: expect.stringContaining('not kept') as string },
      });
      expect([await client.entries('charge'), await keptBytes()]).toEqual([1, before]);
    },
  );

  it('is limited for each account: answers over it are sent and charged, but not replayed', async () => {
    const client = await givenRepeatingClient(bounded);
    const before = await keptBytes();
    const keys = Array.from({ length: 12 }, (_, i) => `order ${String(i)}`);
    const first = await Promise.all(keys.map((key) => client.ask(key, 'long', { max_tokens: 4_096, n: 4 })));
    expect(first.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect((await keptBytes()) - before).toBeLessThanOrEqual(400_000);
    const again = await Promise.all(keys.map((key) => client.ask(key, 'long', { max_tokens: 4_096, n: 4 })));
    const statuses = again.map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual([200, 500]);
    expect(await client.entries('charge')).toBe(keys.length);
  });
});
