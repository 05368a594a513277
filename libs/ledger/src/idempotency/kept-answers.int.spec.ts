import { randomUUID } from 'node:crypto';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../../test/ledger-harness';
import { LedgerUnavailableError } from '../hold';
import { refundWithheldAnswer } from '../account-funds';
import { claimOfItems, purgeKeptAnswers } from './kept-answers';
const ROOM = 1_000_000;
const PART = Buffer.alloc(60_000, 0xa5);

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness({ keptBytesPerAccount: ROOM });
});
afterAll(async () => {
  await harness.close();
});

interface HeldRequest {
  holdId: string;
  accountId: string;
  apiKeyId: string;
  key: string;
}

async function heldBy(
  customer: { accountId: string; apiKeyId: string },
  key: string = randomUUID(),
): Promise<HeldRequest> {
  const idempotency = { key, fingerprint: Buffer.alloc(32) };
  const { holdId } = anAdmission(customer, 100n);
  expect(await harness.ledger.admit(anAdmission(customer, 100n, { holdId, idempotency }))).toEqual({
    outcome: 'admitted',
  });
  return { ...customer, holdId, key };
}

const aHeldRequest = async (): Promise<HeldRequest> => heldBy(await harness.givenCustomer(100_000n));

function charge({ holdId, accountId }: HeldRequest, answer?: Uint8Array | 'staged'): Promise<string> {
  return harness.ledger.settle({ holdId, accountId, usage: aUsage(30n, { answer }) });
}

async function keep(request: HeldRequest, parts: number): Promise<boolean> {
  const isWritten = await harness.ledger.stageAnswer(
    request,
    Array.from({ length: parts }, () => PART),
  );
  expect(await charge(request, isWritten ? 'staged' : undefined)).toBe('resolved');
  return isWritten;
}

/** The result of repeating the request. */
async function repeated({ holdId, accountId, apiKeyId, key }: HeldRequest): Promise<number | string> {
  const idempotency = { key, fingerprint: Buffer.alloc(32) };
  const result = await harness.ledger.admit(anAdmission({ accountId, apiKeyId }, 100n, { idempotency }));
  if (result.outcome !== 'replay') return result.outcome;
  expect(result.holdId).toBe(holdId);
  const kept = await harness.ledger.readAnswer({ accountId, apiKeyId, key, holdId });
  if (kept?.kind !== 'parts') return kept?.bytes.length ?? 'nothing';
  expect(kept.parts.every((part) => PART.equals(part))).toBe(true);
  return kept.parts.length * PART.length;
}

async function keptBytes({ accountId }: HeldRequest): Promise<number> {
  const { rows } = await harness.db.pool.query<{ bytes: string }>(
    `SELECT coalesce(sum(length(p.ciphertext)), 0) + (SELECT coalesce(sum(length(answer)), 0) FROM idempotency_claim
                                                      WHERE account_id = $1) AS bytes
     FROM kept_answer k JOIN kept_answer_part p ON p.hold_id = k.hold_id
     WHERE k.account_id = $1 AND k.expires_at > clock_timestamp() + interval '2 hours'`,
    [accountId],
  );
  return Number(rows[0]?.bytes);
}

describe('a long answer', () => {
  it('is written before its charge, and replayed unchanged', async () => {
    const request = await aHeldRequest();
    expect(await keep(request, 5)).toBe(true);
    expect(await repeated(request)).toBe(5 * PART.length);
  });

  it('is returned to a caller who names its whole claim, and in parts only to them', async () => {
    const [request, other] = [await aHeldRequest(), await aHeldRequest()];
    await keep(request, 1);
    await charge(other, Buffer.alloc(10));
    const { accountId, apiKeyId, key, holdId } = other;
    for (const wrong of [{ accountId }, { apiKeyId }, { key }, { holdId }]) {
      const claim = { ...request, ...wrong };
      expect(await harness.ledger.readAnswer(claim)).toBeUndefined();
      const part = 'SELECT ledger_kept_answer_part($1, $2, $3, $4, 0) AS part';
      const named = [claim.accountId, claim.apiKeyId, claim.key, claim.holdId];
      expect((await harness.db.servicePool.query(part, named)).rows).toEqual([{ part: null }]);
    }
    expect(await repeated(request)).toBe(PART.length);
  });

  it('delays nobody while it is written: not even short answers of the same account', async () => {
    const [request, other] = [await aHeldRequest(), await aHeldRequest()];
    const sameAccount = await heldBy(request);
    const locker = await harness.db.pool.connect();
    await locker.query('BEGIN');
    await locker.query('LOCK TABLE kept_answer_part IN ACCESS EXCLUSIVE MODE');
    const kept = keep(request, 3);
    expect(await charge(other, Buffer.alloc(100))).toBe('resolved');
    expect(await charge(sameAccount, Buffer.alloc(100))).toBe('resolved');
    await heldBy(other);
    await locker.query('COMMIT');
    locker.release();
    await kept;
    expect([await repeated(other), await repeated(sameAccount)]).toEqual([100, 100]);
  });

  it('that was written and never charged leaves the key in flight, then free, and is deleted', async () => {
    const request = await aHeldRequest();
    expect(await harness.ledger.stageAnswer(request, [PART])).toBe(true);
    expect(await repeated(request)).toBe('idempotency_in_progress');
    // As the sweep does after the loss of its gateway.
    await harness.ledger.settle({ holdId: request.holdId, accountId: request.accountId });
    const expire = `UPDATE kept_answer SET expires_at = clock_timestamp() WHERE hold_id = $1`;
    await harness.db.pool.query(expire, [request.holdId]);
    await purgeKeptAnswers(harness.db.workerPool);
    const left = 'SELECT 1 FROM kept_answer_part WHERE hold_id = $1';
    expect((await harness.db.pool.query(left, [request.holdId])).rowCount).toBe(0);
    expect(await repeated(request)).toBe('admitted');
  });

  it('of a hold that does not exist, or has no Idempotency-Key, is not written', async () => {
    const request = await aHeldRequest();
    const [other, unkeyed] = [await aHeldRequest(), anAdmission(request, 100n)];
    await harness.ledger.admit(unkeyed);
    expect(await harness.ledger.stageAnswer({ ...request, accountId: other.accountId }, [PART])).toBe(false);
    expect(await harness.ledger.stageAnswer({ ...request, holdId: randomUUID() }, [PART])).toBe(false);
    expect(await harness.ledger.stageAnswer(unkeyed, [PART])).toBe(false);
    await charge(request);
    expect(await harness.ledger.stageAnswer(request, [PART])).toBe(false);
    await harness.ledger.settle({ holdId: unkeyed.holdId, accountId: unkeyed.accountId });
  });

  it('that a charge refers to but that does not exist is not kept', async () => {
    const request = await aHeldRequest();
    expect(await charge(request, 'staged')).toBe('resolved');
    expect(await repeated(request)).toBe('answer_withheld');
  });

  it('has parts of a bounded size', async () => {
    const request = await aHeldRequest();
    expect(await harness.ledger.stageAnswer(request, [Buffer.alloc(200_000)])).toBe(false);
    await charge(request);
  });
});

describe("an account's room for answers", () => {
  it('is not exceeded, however many are charged at once: further ones are charged, and not kept', async () => {
    const first = await aHeldRequest();
    const requests = [first];
    for (let i = 0; i < 29; i++) requests.push(await heldBy(first));
    await Promise.all(
      requests.map((request, i) => (i % 2 ? keep(request, 2) : charge(request, Buffer.alloc(50_000)))),
    );
    const bytes = await keptBytes(first);
    expect(bytes).toBeLessThanOrEqual(ROOM);
    expect(bytes).toBeGreaterThan(ROOM - 2 * PART.length);
    const told = await Promise.all(requests.map(repeated));
    const notKept = told.filter((answer) => answer === 'answer_withheld').length;
    expect(notKept).toBeGreaterThan(0);
    expect(told.reduce<number>((sum, answer) => sum + (typeof answer === 'number' ? answer : 0), 0)).toBe(
      bytes,
    );
    const charged = 'SELECT 1 FROM usage_record WHERE account_id = $1';
    expect((await harness.db.pool.query(charged, [first.accountId])).rowCount).toBe(30);
  });

  it('is separate, and is free again when its answers have expired', async () => {
    const first = await aHeldRequest();
    for (let i = 0; i < 8; i++) await keep(i === 0 ? first : await heldBy(first), 2);
    const [refused, stranger] = [await heldBy(first), await aHeldRequest()];
    expect([await keep(refused, 2), await keep(stranger, 2)]).toEqual([false, true]);
    const later = `UPDATE kept_answer_hour SET hour = hour - interval '26 hours' WHERE account_id = $1`;
    await harness.db.pool.query(later, [first.accountId]);
    expect(await keep(await heldBy(first), 2)).toBe(true);
    await purgeKeptAnswers(harness.db.workerPool);
    const hours = 'SELECT 1 FROM kept_answer_hour WHERE account_id = $1';
    expect((await harness.db.pool.query(hours, [first.accountId])).rowCount).toBe(1);
  });
});

describe('a charge whose answer did not reach its client', () => {
  it('is refunded if the answer is not kept, and stays if it is', async () => {
    const [kept, short, lost] = [await aHeldRequest(), await aHeldRequest(), await aHeldRequest()];
    await keep(kept, 2);
    await charge(short, Buffer.alloc(10));
    await charge(lost);
    const refunds = [kept, short, lost].map(({ holdId }) =>
      harness.ledger.refund(holdId, { unlessKept: true }),
    );
    expect(await Promise.all(refunds)).toEqual([false, false, true]);
    expect(await harness.ledger.refund(lost.holdId, { unlessKept: true })).toBe(false);
  });

  it('is refunded if it was withheld, even if it is kept for later requests to name, but not if a repetition gets it', async () => {
    const { pool } = harness.db;
    const customer = await harness.givenCustomer(100_000n);
    const repeatable = await heldBy(customer);
    const named = await heldBy(customer, claimOfItems(randomUUID()).key);
    for (const request of [repeatable, named]) await charge(request, Buffer.alloc(10));
    const refunds = [repeatable, named].map(({ holdId }) => refundWithheldAnswer(pool, holdId));
    expect(await Promise.all(refunds)).toEqual([false, true]);
  });
});

it('a closed ledger takes no charge for an answer that was written: its hold is swept', async () => {
  const other = await openLedgerHarness({ keptBytesPerAccount: ROOM });
  const customer = await other.givenCustomer(1_000n);
  const admission = anAdmission(customer, 100n, {
    idempotency: { key: 'once', fingerprint: Buffer.alloc(32) },
  });
  await other.ledger.admit(admission);
  expect(await other.ledger.stageAnswer(admission, [PART])).toBe(true);
  await other.ledger.close();
  const settled = other.ledger.settle({
    holdId: admission.holdId,
    accountId: customer.accountId,
    usage: aUsage(30n, { answer: 'staged' }),
  });
  await expect(settled).rejects.toThrow(LedgerUnavailableError);
  const { rows } = await other.db.workerPool.query<{ swept: number }>('SELECT ledger_sweep(10) AS swept');
  expect(rows).toEqual([{ swept: 1 }]);
  expect((await other.db.pool.query('SELECT 1 FROM idempotency_claim')).rowCount).toBe(0);
  await other.db.drop();
});
