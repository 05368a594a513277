import {
  findOwnerOfApiKey,
  issueApiKey,
  listApiKeys,
  readNow,
  revokeApiKey,
  type Accounts,
  type ApiKey,
} from '@farebox/accounts';
import { createKeyHasher } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { toDecimalUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId, readApiKeyId, readKeyName } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';
import { readKeyPeppers } from '../config';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';
import { requireAccountId } from '../use-cases/accounts';

export function addKeyCommands(root: Command, program: Program): void {
  const key = root.command('key').description('API keys');
  addKeyCreateCommand(key, program);
  addKeyListCommand(key, program);
  addKeyRevokeCommand(key, program);
}

const WITHOUT_LIMITS = { monthlySpendLimitNano: null, expiresAt: null, modelPolicy: null };

function addKeyCreateCommand(key: Command, { change, surroundings }: Program): void {
  key
    .command('create')
    .description('create an API key of an account, without limits; the key is shown once')
    .argument('<account>', 'acct_…', readAccountId)
    .requiredOption('--name <name>', 'name of the key', readKeyName)
    .addHelpText('after', '\nExample:\n  admin key create acct_01jd0000000000000000000000 --name laptop')
    .action(async (accountId: string, { name }: { name: string }) => {
      await change('key create', async ({ accounts, actor, record }) => {
        const hasher = createKeyHasher(readKeyPeppers(surroundings.environment));
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
    });
}

interface GivenPage {
  limit: number;
  after?: string;
}

function addKeyListCommand(key: Command, { read }: Program): void {
  const command = key
    .command('list')
    .description("list an account's API keys, newest first, revoked ones included")
    .argument('<account>', 'acct_…', readAccountId);
  addPageOptions(command, { of: 'key', description: 'those after this one, key_…', read: readApiKeyId })
    .addHelpText('after', '\nExample:\n  admin key list acct_01jd0000000000000000000000')
    .action((accountId: string, given: GivenPage) =>
      read((_pool, accounts) => list(accounts, accountId, given)),
    );
}

async function list(accounts: Accounts, accountId: string, { limit, after }: GivenPage): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const keys = await listApiKeys(
    accountId,
    accounts,
    { afterId: after, count: limit + 1 },
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
      one.last_used_at === null ? 'never' : new Date(one.last_used_at * 1_000).toISOString(),
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
  };
}

function addKeyRevokeCommand(key: Command, { change, confirm }: Program): void {
  key
    .command('revoke')
    .description('end an API key for good, at once; a stream that is running goes on')
    .argument('<key>', 'key_…', readApiKeyId)
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  admin key revoke key_01jd0000000000000000000000')
    .action(async (apiKeyId: string, { yes }: { yes?: true }) => {
      const id = toPublicId('key', apiKeyId);
      await confirm(`Revoke ${id}.`, yes);
      await change('key revoke', async ({ accounts, actor, record }) => {
        const owner = await findOwnerOfApiKey(accounts, apiKeyId);
        if (owner === undefined) throw new CommandFailure(`There is no API key ${id}.`);
        const account_id = toPublicId('acct', owner);
        const revoked = await revokeApiKey(owner, accounts, apiKeyId, actor);
        const json = { key_public_id: id, account_id, status: 'revoked' };
        if (!revoked?.isNew) return { json, text: `The API key ${id} was revoked before.`, unchanged: true };
        await record(id, { account_id });
        return { json, text: `The API key ${id} of ${account_id} is revoked.` };
      });
    });
}
