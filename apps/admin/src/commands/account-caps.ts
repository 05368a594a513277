import { changeCaps, type AccountCaps } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import type { NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId, readRequestCap, readSpendCap } from '../arguments';
import type { ActionDetails } from '../audit/record-action';
import type { Program } from '../command-run';
import { requireFound } from '../use-cases/accounts';
import { toCapsReport } from './account-report';

interface GivenCaps {
  dailyRequests?: number | 'default';
  dailySpend?: NanoUsd | 'default';
}

export function addCapsCommand(account: Command, { change }: Program): void {
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
    await change('account caps', async ({ accounts, record }) => {
      const changed = await changeCaps(accountId, accounts, {
        ...(dailyRequests !== undefined && { dailyRequestCap: ownCap(dailyRequests) }),
        ...(dailySpend !== undefined && { dailySpendCapNano: ownCap(dailySpend) }),
      });
      const { before, after } = requireFound(accountId, changed);
      const caps = toCapsReport(after);
      const id = toPublicId('acct', accountId);
      const report = {
        json: { account_id: id, ...caps },
        text: `The account ${id} may make ${String(caps.daily_request_cap)} requests and spend ${caps.daily_spend_cap} dollars a day.`,
      };
      if (hasSameCaps(before, after)) return { ...report, unchanged: true };
      await record(id, toCapDetails(before, after));
      return report;
    });
  });
}

function hasSameCaps(one: AccountCaps, other: AccountCaps): boolean {
  return one.dailyRequestCap === other.dailyRequestCap && one.dailySpendCapNano === other.dailySpendCapNano;
}

/** The caps in force. */
function toCapDetails(before: AccountCaps, after: AccountCaps): ActionDetails {
  const [old, now] = [toCapsReport(before), toCapsReport(after)];
  return {
    daily_request_cap_before: old.daily_request_cap,
    daily_request_cap: now.daily_request_cap,
    daily_spend_cap_before: old.daily_spend_cap,
    daily_spend_cap: now.daily_spend_cap,
  };
}

/** Without a cap of its own, an account has its cohort's. */
function ownCap<Cap>(given: Cap | 'default'): Cap | null {
  return given === 'default' ? null : given;
}
