import { createHash } from 'node:crypto';
import { givenApiKey } from '@farebox/testing';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../../test/ledger-harness';
import type { Admission, AdmissionResult } from '../hold';
import { sweepAbandonedHolds } from '../lease';
import { purgeKeptAnswers } from './kept-answers';

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});

const fingerprintOf = (body: string): Uint8Array => createHash('sha256').update(body).digest();
const ANSWER = Buffer.from('sealed, "quoted" and \\escaped\\');

async function aCustomer() {
  const customer = await harness.givenCustomer(1_000n);
  return {
    ...customer,
    request: (body: string, more: Partial<Admission> = {}): Admission =>
      anAdmission(customer, 100n, {
        idempotency: { key: 'order 7, "again"', fingerprint: fingerprintOf(body) },
        ...more,
      }),
  };
}

const admit = (admission: Admission): Promise<AdmissionResult> => harness.ledger.admit(admission);

describe('an Idempotency-Key', () => {
  it('is in flight during its hold, and belongs to one body', async () => {
    const { request } = await aCustomer();
    expect(await admit(request('a'))).toEqual({ outcome: 'admitted' });
    expect(await admit(request('a'))).toEqual({ outcome: 'idempotency_in_progress' });
    expect(await admit(request('b'))).toEqual({ outcome: 'idempotency_conflict' });
  });

  it('is spent by the charge: its answer is replayed unchanged', async () => {
    const { accountId, apiKeyId, request } = await aCustomer();
    const first = request('a');
    await admit(first);
    await harness.ledger.settle({ holdId: first.holdId, accountId, usage: aUsage(30n, { answer: ANSWER }) });

    expect(await admit(request('a'))).toEqual({ outcome: 'replay', holdId: first.holdId });
    expect(await admit(request('b'))).toEqual({ outcome: 'idempotency_conflict' });
    const claim = { accountId, apiKeyId, key: first.idempotency?.key ?? '', holdId: first.holdId };
    expect(await harness.ledger.readAnswer(claim)).toEqual({ kind: 'whole', bytes: ANSWER });
  });

  it('may be used again after a release, even with another body', async () => {
    const { accountId, request } = await aCustomer();
    const first = request('a');
    await admit(first);
    await harness.ledger.settle({ holdId: first.holdId, accountId });
    expect(await admit(request('b'))).toEqual({ outcome: 'admitted' });
  });

  it('may be used again after its gateway was lost', async () => {
    const { request } = await aCustomer();
    await admit(request('a'));
    await harness.db.pool.query('UPDATE gateway_instance SET lease_expires_at = clock_timestamp()');
    await sweepAbandonedHolds(harness.db.workerPool);
    await harness.db.pool.query(
      `UPDATE gateway_instance SET lease_expires_at = clock_timestamp() + interval '1 hour'`,
    );
    expect(await admit(request('a'))).toEqual({ outcome: 'admitted' });
  });

  it('is not spent by a refusal', async () => {
    const { request } = await aCustomer();
    expect(
      await admit(
        request('a', { amountNano: anAdmission({ accountId: '', apiKeyId: '' }, 2_000n).amountNano }),
      ),
    ).toMatchObject({
      outcome: 'insufficient_funds',
    });
    expect(await admit(request('a'))).toEqual({ outcome: 'admitted' });
  });

  it('of another API key is a separate one', async () => {
    const { accountId, request } = await aCustomer();
    await admit(request('a'));
    const apiKeyId = await givenApiKey(harness.db.pool, accountId);
    expect(await admit(request('a', { apiKeyId }))).toEqual({ outcome: 'admitted' });
  });

  it('is claimed once if fifty come in one batch', async () => {
    const { request } = await aCustomer();
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) => admit(request(i === 49 ? 'b' : 'a'))),
    );
    const outcomes = results.map(({ outcome }) => outcome);
    expect(outcomes[0]).toBe('admitted');
    expect(outcomes.slice(1, 49)).toEqual(Array(48).fill('idempotency_in_progress'));
    expect(outcomes[49]).toBe('idempotency_conflict');
  });

  it('whose charge kept no answer gets none, and is not charged again', async () => {
    const { accountId, request } = await aCustomer();
    const first = request('a');
    await admit(first);
    await harness.ledger.settle({ holdId: first.holdId, accountId, usage: aUsage(30n) });
    expect(await admit(request('a'))).toEqual({ outcome: 'answer_withheld' });
  });

  it('may be used again once its answer has expired, and is purged with it', async () => {
    const { accountId, apiKeyId, request } = await aCustomer();
    const [first, second] = [request('a'), request('b')];
    await admit(first);
    await harness.ledger.settle({ holdId: first.holdId, accountId, usage: aUsage(30n, { answer: ANSWER }) });
    await expireAnswers(apiKeyId);
    expect(await admit(second)).toEqual({ outcome: 'admitted' });

    await harness.ledger.settle({ holdId: second.holdId, accountId, usage: aUsage(30n, { answer: ANSWER }) });
    await expireAnswers(apiKeyId);
    expect(await purgeKeptAnswers(harness.db.workerPool)).toBe(1);
    const { rows } = await harness.db.pool.query('SELECT 1 FROM idempotency_claim WHERE api_key_id = $1', [
      apiKeyId,
    ]);
    expect(rows).toEqual([]);
  });
});

async function expireAnswers(apiKeyId: string): Promise<void> {
  await harness.db.pool.query(
    'UPDATE idempotency_claim SET expires_at = clock_timestamp() WHERE expires_at IS NOT NULL AND api_key_id = $1',
    [apiKeyId],
  );
}
