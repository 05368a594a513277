import { changeCaps, changeLowBalance, moveToCohort, type AccountCaps } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { ownCap, requireFound, toCapsReport, toOwnAllowance, type GivenAllowance } from './accounts';
import { readCohort, readPositiveUsd, readRequestCap, readSpendCap } from './arguments';
import { readAccount } from './named-accounts';
import type { ActionDetails } from './audit-log';
import { NotFoundFailure } from './failures';
import type { Verbs } from './verb';

interface GivenCaps extends GivenAllowance {
  dailyRequests?: number | 'default';
  dailySpend?: NanoUsd | 'default';
}

export const limitCommands: Verbs = {
  'account caps': {
    help: "set an account's own daily caps, or restore those of its cohort; a day is a UTC day",
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .option('--daily-requests <count>', 'requests a day, or "default"', readRequestCap)
        .option('--daily-spend <dollars>', 'dollars a day, or "default"', readSpendCap)
        .option(
          '--daily-abandoned <count>',
          'requests that clients may abandon a day, or "default"',
          readRequestCap,
        )
        .option('--daily-abandonment <dollars>', 'what those may cost you, or "default"', readSpendCap),
    examples: [
      'admin account caps acct_01jd0000000000000000000000 --daily-requests 100 --daily-spend 5.00',
      'admin account caps acct_01jd0000000000000000000000 --daily-spend default',
    ],
    run:
      ({ change }, command: Command) =>
      async (accountId: string, given: GivenCaps) => {
        const { dailyRequests, dailySpend } = given;
        if (Object.keys(given).length === 0) command.error('error: give a cap');
        await change(async ({ accounts, record }) => {
          const changed = await changeCaps(accountId, accounts, {
            ...(dailyRequests !== undefined && { dailyRequestCap: ownCap(dailyRequests) }),
            ...(dailySpend !== undefined && { dailySpendCapNano: ownCap(dailySpend) }),
            ...toOwnAllowance(given),
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
      },
  },
  'account cohort': {
    help: 'move an account to another cohort, whose daily caps and models then apply',
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .requiredOption('--to <cohort>', 'name of the cohort', readCohort),
    examples: ['admin account cohort acct_01jd0000000000000000000000 --to partners'],
    run:
      ({ change }) =>
      async (accountId: string, { to }: { to: string }) => {
        await change(async ({ accounts, record }) => {
          const { before, moved } = requireFound(accountId, await moveToCohort(accountId, accounts, to));
          if (!moved)
            throw new NotFoundFailure(`There is no cohort "${to}". Choose one from the list of cohorts.`);
          const id = toPublicId('acct', accountId);
          const report = {
            json: { account_id: id, cohort: to },
            text: `The account ${id} is in the cohort ${to}.`,
          };
          if (before === to) return { ...report, unchanged: true };
          await record(id, { cohort_before: before, cohort: to });
          return report;
        });
      },
  },
  'account low-balance': {
    help: "set or clear an account's low-balance alert",
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .option('--below <dollars>', 'more than zero, with at most nine decimal places', readPositiveUsd)
        .option('--off', 'send no such mail'),
    examples: [
      'admin account low-balance acct_01jd0000000000000000000000 --below 5.00',
      'admin account low-balance acct_01jd0000000000000000000000 --off',
    ],
    run:
      ({ change }, command: Command) =>
      async (accountId: string, { below, off = false }: GivenThreshold) => {
        if ((below === undefined) !== off) command.error('error: give --below or --off');
        await change(async ({ accounts, record }) => {
          const changed = await changeLowBalance(accountId, accounts, below ?? null);
          const { before } = requireFound(accountId, changed);
          const id = toPublicId('acct', accountId);
          const low_balance = toThreshold(below ?? null);
          const report = {
            json: { account_id: id, low_balance, currency: 'usd' },
            text:
              low_balance === null
                ? `The owner of ${id} is not mailed about a low balance.`
                : `The owner of ${id} is mailed when less than ${low_balance} dollars are available.`,
          };
          if (before === (below ?? null)) return { ...report, unchanged: true };
          await record(id, { low_balance_before: toThreshold(before), low_balance });
          return report;
        });
      },
  },
};

function hasSameCaps(one: AccountCaps, other: AccountCaps): boolean {
  return (
    one.dailyRequestCap === other.dailyRequestCap &&
    one.dailySpendCapNano === other.dailySpendCapNano &&
    one.dailyAbandonedRequests === other.dailyAbandonedRequests &&
    one.dailyAbandonmentNano === other.dailyAbandonmentNano
  );
}

/** The caps in force. */
function toCapDetails(before: AccountCaps, after: AccountCaps): ActionDetails {
  const [old, now] = [toCapsReport(before), toCapsReport(after)];
  return {
    daily_request_cap_before: old.daily_request_cap,
    daily_request_cap: now.daily_request_cap,
    daily_spend_cap_before: old.daily_spend_cap,
    daily_spend_cap: now.daily_spend_cap,
    daily_abandoned_requests_before: old.daily_abandoned_requests,
    daily_abandoned_requests: now.daily_abandoned_requests,
    daily_abandonment_before: old.daily_abandonment,
    daily_abandonment: now.daily_abandonment,
  };
}

interface GivenThreshold {
  below?: NanoUsd;
  off?: boolean;
}

function toThreshold(thresholdNano: NanoUsd | null): string | null {
  return thresholdNano === null ? null : toDecimalUsd(thresholdNano);
}
