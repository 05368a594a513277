import { createKeyHasher } from '@farebox/auth';
import { HOUR_MS } from '@farebox/flow';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { issueApiKey } from './api-key-changes';
import { findApiKey, findApiKeysById, identifyApiKey, listApiKeys, revokeApiKey } from './api-keys';
import { listCredentialEvents, type Actor } from './credential-events';
import { openAccounts, readNow, type Accounts } from './open-accounts';

const hasher = createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 1) }]);
const OPERATOR: Actor = { kind: 'operator', name: 'ada' };

let db: TestDatabase;
let accounts: Accounts;
let accountId: string;
beforeAll(async () => {
  db = await createTestDatabase();
  accounts = openAccounts(db.accountPool);
});
beforeEach(async () => {
  accountId = await givenAccount(db.pool);
});
afterAll(() => db.drop());

async function givenKey(lifetimeMs: number | null) {
  const now = await readNow(db.pool);
  const expiresAt = lifetimeMs === null ? null : new Date(now.getTime() + lifetimeMs);
  const settings = {
    name: 'laptop',
    monthlySpendLimitNano: null,
    modelPolicy: null,
    allowedOrigins: null,
    showsAccountLimits: null,
    expiresAt,
  };
  return issueApiKey(accountId, accounts, hasher, settings, { actor: OPERATOR });
}

/** A key as seen by its owner, its owner's usage, an operator, and a gateway that receives it. */
async function seenOf({ apiKeyId, secret }: { apiKeyId: string; secret: string }) {
  const now = await readNow(db.pool);
  const page = { afterId: undefined, count: 10, withPlayground: false };
  const listed = await listApiKeys(accountId, accounts, page, now);
  return {
    owner: (await findApiKey(accountId, accounts, apiKeyId, now)).status,
    usage: (await findApiKeysById(accountId, accounts, [apiKeyId], now)).map(({ status }) => status),
    operator: listed.filter(({ id }) => id === apiKeyId).map(({ status }) => status),
    gateway: (await identifyApiKey(db.pool, hasher, secret))?.status,
  };
}

const allSee = (status: string) => ({ owner: status, usage: [status], operator: [status], gateway: status });

it('owner, operator and gateway see the same key', async () => {
  expect(await seenOf(await givenKey(null))).toEqual(allSee('active'));
  expect(await seenOf(await givenKey(HOUR_MS))).toEqual(allSee('active'));
  expect(await seenOf(await givenKey(-HOUR_MS))).toEqual(allSee('expired'));
});

it('all of them see a revoked key that has expired as revoked', async () => {
  const key = await givenKey(-HOUR_MS);
  expect(await revokeApiKey(accountId, accounts, key.apiKeyId, OPERATOR)).toEqual({ isNew: true });
  expect(await seenOf(key)).toEqual(allSee('revoked'));
});

describe('a revoke', () => {
  it('is recorded once, and not if it was already revoked', async () => {
    const { apiKeyId } = await givenKey(null);
    const noted = async () =>
      (await listCredentialEvents(accountId, db.pool, { count: 10 })).filter(
        ({ action }) => action === 'revoke',
      );
    expect(await revokeApiKey(accountId, accounts, apiKeyId, OPERATOR)).toEqual({ isNew: true });
    expect(await revokeApiKey(accountId, accounts, apiKeyId, OPERATOR)).toEqual({ isNew: false });
    expect(await noted()).toEqual([
      expect.objectContaining({ credentialId: apiKeyId, actorKind: 'operator', actor: 'ada' }),
    ]);
  });

  it('does not happen if it cannot be recorded', async () => {
    const key = await givenKey(null);
    const nobody: Actor = { kind: 'operator', name: '' };
    await expect(revokeApiKey(accountId, accounts, key.apiKeyId, nobody)).rejects.toThrow(
      'credential_event_actor_is_named',
    );
    expect(await seenOf(key)).toEqual(allSee('active'));
  });

  it('does not affect another account', async () => {
    const key = await givenKey(null);
    const stranger = await givenAccount(db.pool);
    expect(await revokeApiKey(stranger, accounts, key.apiKeyId, OPERATOR)).toBeUndefined();
    expect(await seenOf(key)).toEqual(allSee('active'));
  });
});
