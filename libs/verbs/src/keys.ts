import {
  findOwnerOfApiKey,
  issueApiKey,
  listApiKeys,
  readNow,
  revokeApiKey,
  type Accounts,
  type ApiKey,
} from '@farebox/accounts';
import { createKeyHasher, toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/api';
import { toDecimalUsd } from '@farebox/money';
import { requireAccountId } from './accounts';
import { readApiKeyId, readName } from './arguments';
import { readAccount } from './named-accounts';
import { readKeyPeppers } from './environment';
import { NotFoundFailure } from './failures';
import type { Verbs } from './verb';
import type { Report } from './report';
import { addPageOptions, givenLimit, nextCommand, toListReport, type GivenPage, toIso } from './lists';

const WITHOUT_LIMITS = {
  monthlySpendLimitNano: null,
  expiresAt: null,
  modelPolicy: null,
  allowedOrigins: null,
  showsAccountLimits: null,
};

export const keyCommands: Verbs = {
  'key create': {
    help: 'create an API key of an account, without limits; the key is shown once',
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .requiredOption('--name <name>', 'name of the key', readName),
    examples: ['admin key create acct_01jd0000000000000000000000 --name laptop'],
    run:
      ({ change, environment }) =>
      async (accountId: string, { name }: { name: string }) => {
        await change(async ({ accounts, actor, record }) => {
          const hasher = createKeyHasher(readKeyPeppers(environment));
          await requireAccountId(accountId, accounts);
          const { apiKeyId, secret } = await issueApiKey(
            accountId,
            accounts,
            hasher,
            { name, ...WITHOUT_LIMITS },
            { actor },
          );
          const id = toPublicId('key', apiKeyId);
          await record(id, { account_id: toPublicId('acct', accountId), name });
          return {
            json: { key: secret, key_public_id: id },
            text: `${secret}\nKeep it: it is not shown again. Its id is ${id}.`,
          };
        });
      },
  },
  'key list': {
    help: "list an account's API keys, newest first, including revoked ones",
    takes: (command) =>
      addPageOptions(command.argument('<account>', 'acct_…, or its e-mail address', readAccount), {
        of: 'key',
        description: 'continue after this one, key_…',
        read: readApiKeyId,
      }),
    examples: ['admin key list acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (accountId: string, given: GivenPage) =>
        read((_pool, accounts) => list(accounts, accountId, given)),
  },
  'key revoke': {
    help: 'revoke an API key for good, at once; running streams continue',
    takes: (command) =>
      command.argument('<key>', 'key_…', readApiKeyId).option('--yes', 'do not ask for confirmation'),
    examples: ['admin key revoke key_01jd0000000000000000000000'],
    run:
      ({ change, confirm }) =>
      async (apiKeyId: string, { yes }: { yes?: true }) => {
        const id = toPublicId('key', apiKeyId);
        await confirm(`Revoke ${id}.`, yes);
        await change(async ({ accounts, actor, record }) => {
          const owner = await findOwnerOfApiKey(accounts, apiKeyId);
          if (owner === undefined) throw new NotFoundFailure(`There is no API key ${id}.`);
          const account_id = toPublicId('acct', owner);
          const revoked = await revokeApiKey(owner, accounts, apiKeyId, actor);
          const json = { key_public_id: id, account_id, status: 'revoked' };
          if (!revoked?.isNew)
            return { json, text: `The API key ${id} was revoked before.`, unchanged: true };
          await record(id, { account_id });
          return { json, text: `The API key ${id} of ${account_id} is revoked.` };
        });
      },
  },
};

async function list(accounts: Accounts, accountId: string, { limit, after }: GivenPage): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const keys = await listApiKeys(
    accountId,
    accounts,
    { afterId: after, count: limit + 1, withPlayground: true },
    await readNow(accounts),
  );
  const page = toListPage(keys.map(toReport), limit, (report) => report.key_public_id);
  return toListReport(page, {
    columns: [
      ...[{ name: 'key' }, { name: 'status' }, { name: 'ends in' }],
      { name: 'spent this month', align: 'right' },
      { name: 'last used' },
      { name: 'name' },
    ],
    toRow: (one) => [
      ...[one.key_public_id, one.status, one.hint, one.monthly_spend],
      one.last_used_at === null ? 'never' : toIso(one.last_used_at),
      one.name,
    ],
    none: 'The account has no API keys.',
    next: (lastId) =>
      nextCommand(`key list ${toPublicId('acct', accountId)}`, { limit: givenLimit(limit) }, lastId),
  });
}

function toReport(key: ApiKey) {
  return {
    key_public_id: toPublicId('key', key.id),
    account_id: toPublicId('acct', key.accountId),
    name: key.name,
    hint: key.hint,
    status: key.status,
    created_at: toUnixSeconds(key.createdAt),
    expires_at: key.expiresAt && toUnixSeconds(key.expiresAt),
    revoked_at: key.revokedAt && toUnixSeconds(key.revokedAt),
    last_used_at: key.lastUsedAt && toUnixSeconds(key.lastUsedAt),
    monthly_spend_limit: key.monthlySpendLimitNano === null ? null : toDecimalUsd(key.monthlySpendLimitNano),
    monthly_spend: toDecimalUsd(key.monthlySpendNano),
    currency: 'usd',
    allowed_origins: key.allowedOrigins,
    shows_account_limits: key.showsAccountLimits,
  };
}
