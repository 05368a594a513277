import { chatCompletion } from '@farebox/contracts';
import { startGatewayStand, type GatewayStand } from '../../gateway.stand';
import { readStream } from './read-stream.stand';
import { codeOf, givenRepeatingClient } from './repeating-client.stand';

let stand: GatewayStand;
beforeAll(async () => {
  stand = await startGatewayStand();
});
afterAll(async () => {
  await stand.expectSettled();
  await stand.close();
});

/** Tables that have a row which shows the text, as it is or as bytes. */
async function tablesWith(text: string): Promise<string[]> {
  const hex = Buffer.from(text).toString('hex');
  const tables = await stand.db.pool.query<{ name: string }>(
    `SELECT format('%I', table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const sql = `SELECT 1 FROM ${name} t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0 LIMIT 1`;
    if (((await stand.db.pool.query(sql, [text, hex])).rowCount ?? 0) > 0) found.push(name);
  }
  return found;
}

it('answers are kept, and nowhere in the database can they be read', async () => {
  const client = await givenRepeatingClient(stand);
  const messages = [{ role: 'user', content: 'A very private question about zebras' }];
  const whole = chatCompletion.parse(
    await (await client.ask('whole zebra key', 'echo', { messages })).json(),
  );
  const stream = await readStream(await client.ask('stream zebra key', 'echo', { messages, stream: true }));
  const { rows } = await stand.db.pool.query<{ state: string; bytes: number }>(
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
    expect(stand.logText()).not.toContain(secret);
  }
});

it('a request without a key keeps nothing', async () => {
  const { secret, apiKeyId } = await stand.givenKey();
  expect((await stand.complete(secret, 'echo')).status).toBe(200);
  const sql = 'SELECT 1 FROM idempotency_claim WHERE api_key_id = $1';
  expect((await stand.db.pool.query(sql, [apiKeyId])).rowCount).toBe(0);
});

it.each([
  ['altered', 'set_byte(answer, length(answer) - 1, get_byte(answer, length(answer) - 1) # 1)'],
  ['of a key that was taken away', 'set_byte(answer, 0, 9)'],
])(
  'an answer that is %s is not given, the request does not run again, and an operator is told',
  async (_name, alteration) => {
    const client = await givenRepeatingClient(stand);
    await client.ask('once', 'echo');
    await stand.db.pool.query(`UPDATE idempotency_claim SET answer = ${alteration} WHERE api_key_id = $1`, [
      client.apiKeyId,
    ]);
    const before = stand.upstream.requests().length;
    const response = await client.ask('once', 'echo');
    expect([response.status, await codeOf(response)]).toEqual([500, 'billing_error']);
    expect(stand.logText()).toContain('"event":"kept_answer_unreadable"');
    expect(stand.upstream.requests()).toHaveLength(before);
    expect(await client.entries('charge')).toBe(1);
  },
);

it('after its time the answer is forgotten, and the key may be used again', async () => {
  const client = await givenRepeatingClient(stand);
  const first = chatCompletion.parse(await (await client.ask('once', 'echo')).json());
  const kept = await stand.db.pool.query<{ hours: number }>(
    `SELECT extract(epoch FROM expires_at - now()) / 3600 AS hours FROM idempotency_claim WHERE api_key_id = $1`,
    [client.apiKeyId],
  );
  expect(Math.round(Number(kept.rows[0]?.hours))).toBe(24);
  await stand.db.pool.query('UPDATE idempotency_claim SET expires_at = now() WHERE api_key_id = $1', [
    client.apiKeyId,
  ]);
  const later = chatCompletion.parse(await (await client.ask('once', 'echo')).json());
  expect(later.id).not.toBe(first.id);
  expect(await client.entries('charge')).toBe(2);
});
