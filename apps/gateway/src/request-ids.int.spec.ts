import { fromPublicId, toPublicId } from '@farebox/auth';
import type { ChatCompletion } from '@farebox/api';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../test/gateway-harness';

// Every record of a request has the same id, which is part of its request id: a receipt is found by it without an
// index.

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

async function idsIn(table: 'usage_record' | 'uncharged_request', accountId: string): Promise<string[]> {
  const { rows } = await harness.db.pool.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE account_id = $1`,
    [accountId],
  );
  return rows.map(({ id }) => id);
}

const idOf = (response: Response): string | undefined =>
  fromPublicId('req', response.headers.get('x-request-id') ?? '');

it('the charge of a request has the id that is in its request id', async () => {
  const { secret, accountId } = await harness.givenKey();
  const response = await harness.complete(secret, 'echo');
  const { id } = (await response.json()) as ChatCompletion;
  expect(await idsIn('usage_record', accountId)).toEqual([idOf(response)]);
  expect(id).toBe(toPublicId('chatcmpl', idOf(response) ?? ''));
});

it.each(['nowhere', 'refuses-500'])('so has the record of a free one: %s', async (model) => {
  const { secret, accountId } = await harness.givenKey();
  const response = await harness.complete(secret, model);
  await waitUntil(async () => (await idsIn('uncharged_request', accountId)).length > 0, 'it is noted');
  expect(await idsIn('uncharged_request', accountId)).toEqual([idOf(response)]);
});

it('a client that gives its requests the same id, in whatever form, is charged for each of them', async () => {
  const { secret, accountId } = await harness.givenKey();
  const first = await harness.complete(secret, 'echo');
  await first.text();
  const own = first.headers.get('x-request-id') ?? '';
  const headers = {
    ...{ authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    'x-request-id': own,
  };
  for (let i = 0; i < 2; i++) {
    const again = await harness.complete(secret, 'echo', {}, { headers });
    expect([again.status, again.headers.get('x-request-id')]).toEqual([200, own]);
    await again.text();
  }
  expect(new Set(await idsIn('usage_record', accountId)).size).toBe(3);
});

it('the line of a request in the log names its account and its API key, also if it is refused or free', async () => {
  const { secret, accountId, apiKeyId } = await harness.givenKey();
  const answers = [
    await harness.complete(secret, 'echo'),
    await harness.complete(secret, 'nowhere'),
    await fetch(`${harness.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } }),
  ];
  for (const answer of answers) {
    await answer.text();
    const requestId = answer.headers.get('x-request-id') ?? '';
    const lineOf = () =>
      harness
        .logText()
        .split('\n')
        .find((line) => line.includes('request_completed') && line.includes(requestId));
    await waitUntil(() => lineOf() !== undefined, 'the request is logged');
    expect(JSON.parse(lineOf() ?? '')).toMatchObject({
      account_id: toPublicId('acct', accountId),
      api_key_id: toPublicId('key', apiKeyId),
    });
  }
  const stranger = await harness.complete(`ak-${'0'.repeat(38)}`, 'echo');
  const strangersId = stranger.headers.get('x-request-id') ?? '';
  await waitUntil(() => harness.logText().includes(strangersId), 'the stranger is logged');
  const line = harness
    .logText()
    .split('\n')
    .find((one) => one.includes(strangersId));
  expect(line).not.toContain('account_id');
});
