import { listApiKeys, readNow, type Accounts, type ApiKey } from '@farebox/accounts';
import { toListPage, toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { toDecimalUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId, readApiKeyId } from '../arguments';
import type { Program, Report } from '../command-run';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';
import { requireAccountId } from '../use-cases/accounts';

interface GivenPage {
  limit: number;
  after?: string;
}

export function addKeyListCommand(key: Command, { read }: Program): void {
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
