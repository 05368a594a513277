import { setTimeout as sleep } from 'node:timers/promises';
import { uuidV7 } from '@farebox/auth';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  type TestDatabase,
  PATIENT_LEDGER,
} from '@farebox/testing';
import { anAdmission, aUsage } from '../test/ledger-harness';
import { readBalance } from './account-funds';
import { verifyLedger } from './books/verify-ledger';
import { openGatewayLedger, type GatewayLedger } from './gateway-ledger';
import type { Admission } from './hold';

let db: TestDatabase;
let ledger: GatewayLedger;

beforeAll(async () => {
  db = await createTestDatabase();
  ledger = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    onLeaseError: (error) => {
      throw error;
    },
  });
});

afterAll(async () => {
  await ledger.close();
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

describe('a hold', () => {
  it('is placed and charged once, and the rest is released', async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n });
    const admission = anAdmission({ accountId, apiKeyId: await givenApiKey(db.pool, accountId) }, 80n);

    expect(await ledger.admit(admission)).toEqual({ outcome: 'admitted' });
    expect(await readBalance(db.pool, accountId)).toEqual({
      balanceNano: 100n,
      heldNano: 80n,
      availableNano: 20n,
    });

    const { holdId } = admission;
    expect(await ledger.settle({ holdId, accountId, usage: aUsage(30n) })).toBe('resolved');
    expect(await ledger.settle({ holdId, accountId, usage: aUsage(30n) })).toBe('not_held');
    expect(await ledger.settle({ holdId, accountId })).toBe('not_held');
    expect(await readBalance(db.pool, accountId)).toEqual({
      balanceNano: 70n,
      heldNano: 0n,
      availableNano: 70n,
    });
  });

  it('is released in full', async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n });
    const admission = anAdmission({ accountId, apiKeyId: await givenApiKey(db.pool, accountId) }, 100n);
    await ledger.admit(admission);
    expect(await ledger.settle({ holdId: admission.holdId, accountId })).toBe('resolved');
    expect((await readBalance(db.pool, accountId)).availableNano).toBe(100n);
  });

  it('can use the amount that a release in the same call gives back', async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n });
    const apiKeyId = await givenApiKey(db.pool, accountId);
    const first = anAdmission({ accountId, apiKeyId }, 100n);
    await ledger.admit(first);
    const second = anAdmission({ accountId, apiKeyId }, 100n);
    expect(
      await Promise.all([ledger.settle({ holdId: first.holdId, accountId }), ledger.admit(second)]),
    ).toEqual(['resolved', { outcome: 'admitted' }]);
    expect(await ledger.settle({ holdId: second.holdId, accountId })).toBe('resolved');
  });

  it('is charged no more than it holds, and a review records the excess', async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n });
    const admission = anAdmission({ accountId, apiKeyId: await givenApiKey(db.pool, accountId) }, 50n);
    await ledger.admit(admission);
    await ledger.settle({ holdId: admission.holdId, accountId, usage: aUsage(51n) });
    expect((await readBalance(db.pool, accountId)).balanceNano).toBe(50n);
    const { rows } = await db.pool.query(
      'SELECT reason, state, held_nano::text, measured_cost_nano::text FROM billing_review WHERE id = $1',
      [admission.holdId],
    );
    expect(rows).toEqual([
      { reason: 'usage_over_hold', state: 'open', held_nano: '50', measured_cost_nano: '51' },
    ]);
  });

  it('over nothing can be charged nothing', async () => {
    const accountId = await givenAccount(db.pool);
    const admission = anAdmission({ accountId, apiKeyId: await givenApiKey(db.pool, accountId) }, 0n);
    expect(await ledger.admit(admission)).toEqual({ outcome: 'admitted' });
    expect(await ledger.settle({ holdId: admission.holdId, accountId, usage: aUsage(0n) })).toBe('resolved');
  });

  it('that was charged is refunded once', async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n });
    const admission = anAdmission({ accountId, apiKeyId: await givenApiKey(db.pool, accountId) }, 80n);
    await ledger.admit(admission);
    await ledger.settle({ holdId: admission.holdId, accountId, usage: aUsage(30n) });
    const refunds = await Promise.all([1, 2, 3, 4].map(() => ledger.refund(admission.holdId)));
    expect(refunds.filter(Boolean)).toHaveLength(1);
    expect((await readBalance(db.pool, accountId)).balanceNano).toBe(100n);
  });
});

describe('items of one batch', () => {
  it('take earlier items into account, and a smaller one may still fit', async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n });
    const apiKeyId = await givenApiKey(db.pool, accountId);
    const outcomes = await Promise.all(
      [60n, 50n, 40n, 1n].map((amount) => ledger.admit(anAdmission({ accountId, apiKeyId }, amount))),
    );
    expect(outcomes).toEqual([
      { outcome: 'admitted' },
      { outcome: 'insufficient_funds', availableNano: 40n },
      { outcome: 'admitted' },
      { outcome: 'insufficient_funds', availableNano: 0n },
    ]);
  });

  it('are charged before holds are placed', async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n });
    const apiKeyId = await givenApiKey(db.pool, accountId);
    const first = anAdmission({ accountId, apiKeyId }, 100n);
    await ledger.admit(first);
    const [admitted, settled, again] = await Promise.all([
      ledger.admit(anAdmission({ accountId, apiKeyId }, 70n)),
      ledger.settle({ holdId: first.holdId, accountId, usage: aUsage(30n) }),
      ledger.settle({ holdId: first.holdId, accountId, usage: aUsage(30n) }),
    ]);
    expect([admitted.outcome, settled, again]).toEqual(['admitted', 'resolved', 'not_held']);
  });

  it('are not affected by one that cannot be done', async () => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n });
    const apiKeyId = await givenApiKey(db.pool, accountId);
    const placed = anAdmission({ accountId, apiKeyId }, 10n);
    await ledger.admit(placed);
    const results = await Promise.allSettled([
      ledger.admit(anAdmission({ accountId, apiKeyId }, 10n)),
      ledger.admit(placed),
      ledger.admit(anAdmission({ accountId, apiKeyId }, 10n)),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await readBalance(db.pool, accountId)).heldNano).toBe(30n);
  });
});

describe('an admission is refused', () => {
  const yesterday = new Date(Date.now() - 86_400_000);

  it.each([
    ['a revoked key', {}, { revokedAt: yesterday }, {}, 'key_not_live'],
    ['a key that is switched off', {}, { disabledAt: yesterday }, {}, 'key_not_live'],
    ['a key that changed', {}, {}, { apiKeyVersion: 2 }, 'key_changed'],
    ['an account that changed its cohort', {}, {}, { cohortName: 'former' }, 'key_changed'],
    ['an expired key', {}, { expiresAt: yesterday }, {}, 'key_expired'],
    ['a suspended account', { inviteStatus: 'suspended' }, {}, {}, 'no_access'],
    ['the daily request cap', { dailyRequestCap: 0 }, {}, {}, 'daily_request_cap'],
    ['the daily spend cap', { dailySpendCapNano: 49n }, {}, {}, 'daily_spend_cap', { leftNano: 49n }],
    ["the key's monthly limit", {}, { monthlySpendLimitNano: 49n }, {}, 'key_month_limit', { leftNano: 49n }],
    ['another account’s key', {}, {}, { apiKeyId: uuidV7() }, 'key_not_live'],
  ] as const)('for %s', async (_name, account, key, admission, outcome, left: object = {}) => {
    const accountId = await givenAccount(db.pool, { balanceNano: 100n, ...account });
    const apiKeyId = await givenApiKey(db.pool, accountId, key);
    const result = await ledger.admit(anAdmission({ accountId, apiKeyId }, 50n, admission));
    expect(result).toEqual({ outcome, ...left });
    expect((await readBalance(db.pool, accountId)).heldNano).toBe(0n);
  });

  it('while held amounts reach a limit, and admitted again after the release', async () => {
    const accountId = await givenAccount(db.pool, {
      balanceNano: 1_000n,
      dailyRequestCap: 2,
      dailySpendCapNano: 150n,
    });
    const apiKeyId = await givenApiKey(db.pool, accountId, { monthlySpendLimitNano: 120n });
    const [first, second, third] = [100n, 30n, 20n].map((amount) =>
      anAdmission({ accountId, apiKeyId }, amount),
    );
    if (!first || !second || !third) throw new Error('unreachable');
    const ask = async (admission: Admission): Promise<string> => (await ledger.admit(admission)).outcome;

    expect([await ask(first), await ask(second), await ask(third)]).toEqual([
      'admitted',
      'key_month_limit',
      'admitted',
    ]);
    expect(await ask(anAdmission({ accountId, apiKeyId }, 0n))).toBe('daily_request_cap');
    await ledger.settle({ holdId: first.holdId, accountId });
    expect(await ask(anAdmission({ accountId, apiKeyId }, 100n))).toBe('admitted');
  });
});

describe('two gateways on one account', () => {
  it('admit exactly as much as the balance covers', async () => {
    const other = await openGatewayLedger({
      ...PATIENT_LEDGER,
      databaseUrl: db.serviceUrl,
      pool: db.servicePool,
      onLeaseError: () => undefined,
    });
    const accountId = await givenAccount(db.pool, { balanceNano: 3_700n });
    const apiKeyId = await givenApiKey(db.pool, accountId);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        (i % 2 ? ledger : other).admit(anAdmission({ accountId, apiKeyId }, 100n)),
      ),
    );
    expect(results.filter((result) => result.outcome === 'admitted')).toHaveLength(37);
    expect(results.filter((result) => result.outcome === 'insufficient_funds')).toHaveLength(163);
    expect((await readBalance(db.pool, accountId)).availableNano).toBe(0n);
    await other.close();
  });
});

describe('a lost connection', () => {
  it('leaves every caller with an answer, and the books right', async () => {
    const patient = await openGatewayLedger({
      ...PATIENT_LEDGER,
      databaseUrl: db.serviceUrl,
      pool: db.servicePool,
      admissionTimeoutMs: 20_000,
      settlementTimeoutMs: 20_000,
      onLeaseError: () => undefined,
    });
    const accountId = await givenAccount(db.pool, { balanceNano: 1_000_000n });
    const apiKeyId = await givenApiKey(db.pool, accountId);
    let cuts = 0;
    const cut = setInterval(() => {
      const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'farebox-ledger' AND datname = current_database()`;
      db.pool.query(text).then(
        () => {
          // Exactly five cuts: on a busy machine a connection takes longer to be made than the time between two.
          if (++cuts === 5) clearInterval(cut);
        },
        () => undefined,
      );
    }, 100);
    try {
      const ride = async (): Promise<void> => {
        const admission = anAdmission({ accountId, apiKeyId }, 10n);
        expect(await patient.admit(admission)).toEqual({ outcome: 'admitted' });
        expect(await patient.settle({ holdId: admission.holdId, accountId, usage: aUsage(7n) })).toBe(
          'resolved',
        );
      };
      let rides = 0;
      const passenger = async (): Promise<void> => {
        while (cuts < 5) {
          await ride();
          rides++;
        }
      };
      await Promise.all(Array.from({ length: 20 }, passenger));
      const balanceNano = 1_000_000n - 7n * BigInt(rides);
      expect(await readBalance(db.pool, accountId)).toMatchObject({ balanceNano, heldNano: 0n });
    } finally {
      clearInterval(cut);
      await patient.close();
    }
  });
});

describe('a gateway that gets no lease', () => {
  it('is not opened, and leaves no connection behind', async () => {
    const own = await createTestDatabase();
    const refusal = new Error('no lease');
    const noLease = { query: () => Promise.reject(refusal) };
    await expect(
      openGatewayLedger({
        ...PATIENT_LEDGER,
        databaseUrl: own.serviceUrl,
        pool: noLease as unknown as TestDatabase['pool'],
        onLeaseError: () => undefined,
      }),
    ).rejects.toBe(refusal);
    const connections = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'farebox-ledger'`;
    // The server's end of a closed connection takes a moment to disappear.
    while ((await own.pool.query(connections)).rowCount !== 0) await sleep(10);
    await own.drop();
  });
});
