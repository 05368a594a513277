import { createPrismaClient } from '@farebox/database';
import { toPublicId } from '@farebox/ids';
import type { NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId, readRequestCap, readSpendCap } from '../arguments';
import type { Program } from '../command-run';
import { requireAccount } from '../use-cases/accounts';
import { toCapsReport } from './account-report';

interface GivenCaps {
  dailyRequests?: number | 'default';
  dailySpend?: NanoUsd | 'default';
}

export function addCapsCommand(account: Command, { run }: Program): void {
  const command = account
    .command('caps')
    .description("set an account's own daily caps, or give it its cohort's again; a day is a UTC day")
    .argument('<account>', 'acct_…', readAccountId)
    .option('--daily-requests <count>', 'requests a day, or "default"', readRequestCap)
    .option('--daily-spend <dollars>', 'dollars a day, or "default"', readSpendCap)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  admin account caps acct_01jd0000000000000000000000 --daily-requests 100 --daily-spend 5.00\n' +
        '  admin account caps acct_01jd0000000000000000000000 --daily-spend default',
    );
  command.action(async (accountId: string, { dailyRequests, dailySpend }: GivenCaps) => {
    if (dailyRequests === undefined && dailySpend === undefined) {
      command.error('error: give --daily-requests, --daily-spend or both');
    }
    await run(async (pool) => {
      const prisma = createPrismaClient(pool);
      await requireAccount(accountId, prisma);
      const account = await prisma.account.update({
        where: { id: accountId },
        data: {
          ...(dailyRequests === undefined ? {} : { dailyRequestCap: ownCap(dailyRequests) }),
          ...(dailySpend === undefined ? {} : { dailySpendCapNano: ownCap(dailySpend) }),
        },
        include: { cohort: true },
      });
      const caps = toCapsReport(account);
      const id = toPublicId('acct', accountId);
      return {
        json: { account_id: id, ...caps },
        text: `The account ${id} may make ${String(caps.daily_request_cap)} requests and spend ${caps.daily_spend_cap} dollars a day.`,
      };
    });
  });
}

/** Without a cap of its own, an account has its cohort's. */
function ownCap<Cap>(given: Cap | 'default'): Cap | null {
  return given === 'default' ? null : given;
}
