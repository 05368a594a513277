import { createPrismaClient } from '@farebox/database';
import { readBalance, readOwed } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import { countPaymentsToCheck } from '@farebox/payments';
import type { Command } from 'commander';
import { readAccountId } from '../arguments';
import type { Program } from '../command-run';
import { requireAccount } from '../use-cases/accounts';
import { toAccountReport } from './account-report';

export function addShowCommand(account: Command, { run }: Program): void {
  account
    .command('show')
    .description('show one account with its balance')
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', '\nExample:\n  admin account show acct_01jd0000000000000000000000')
    .action(async (accountId: string) => {
      await run(async (pool) => {
        const prisma = createPrismaClient(pool);
        const report = toAccountReport(await requireAccount(accountId, prisma));
        const { balanceNano, heldNano, availableNano } = await readBalance(pool, accountId);
        const json = {
          ...report,
          currency: 'usd',
          balance: toDecimalUsd(balanceNano),
          held: toDecimalUsd(heldNano),
          available: toDecimalUsd(availableNano),
          owed: toDecimalUsd(await readOwed(pool, accountId)),
          payments_to_check: await countPaymentsToCheck(pool, accountId),
          live_api_keys: await prisma.apiKey.count({ where: { accountId, revokedAt: null } }),
        };
        const text = [
          `${json.account_id}  ${json.name} <${json.email}>`,
          `invite     ${json.invite_status}, cohort ${json.cohort}`,
          `balance    ${json.balance} dollars, of which ${json.held} are held`,
          `owed       ${json.owed} dollars of payments that were taken back`,
          `payments   ${String(json.payments_to_check)} that do not match their checkout`,
          `a day      ${String(json.daily_request_cap)} requests, ${json.daily_spend_cap} dollars`,
          `API keys   ${String(json.live_api_keys)} live`,
        ].join('\n');
        return { json, text };
      });
    });
}
