import { toPublicId } from '@farebox/auth';
import { readPrices } from '@farebox/catalog';
import { toUnixSeconds } from '@farebox/contracts';
import { verifyLedger, type Round, type Verification } from '@farebox/ledger';
import { Option } from 'commander';
import type { Change } from './audit-log';
import type { CommandRows, Report } from './command-run';

const PROGRESS_EVERY_MS = 1_000;

export const ledgerCommands: CommandRows = {
  'ledger verify': {
    help:
      'recompute every balance from the ledger; exit code 1 if the books differ. ' +
      'The books are read in slices, beside running traffic, and those that are right are noted.',
    takes: (command) =>
      command
        .addOption(
          new Option('--since-checkpoint', 'read only what came since the books were found right').conflicts(
            'full',
          ),
        )
        .option('--full', 'read all of the books (the default)'),
    examples: ['admin ledger verify', 'admin ledger verify --since-checkpoint'],
    run:
      ({ lookThenChange, surroundings, wantsJson }) =>
      async ({ sinceCheckpoint }: { sinceCheckpoint?: true }) => {
        let reportedMs = -Infinity;
        const onProgress = ({ accounts, entries }: Round): void => {
          if (wantsJson() || performance.now() < reportedMs + PROGRESS_EVERY_MS) return;
          reportedMs = performance.now();
          surroundings.err(`${String(entries)} entries of ${String(accounts)} accounts read\n`);
        };
        await lookThenChange(
          (pool) => verifyLedger(pool, { sinceCheckpoint: sinceCheckpoint === true, readPrices, onProgress }),
          note,
        );
      },
  },
};

/** What was right is noted already, slice by slice; that it was looked at stands in the log. */
async function note({ record }: Change, verification: Verification): Promise<Report> {
  const report = toReport(verification);
  if (!verification.ok) return { ...report, unchanged: true };
  const { accounts, entries, since } = report.json;
  await record(null, { accounts, entries, since });
  return report;
}

function toReport({ ok, accounts, entries, since, differences }: Verification) {
  const found = differences.map(({ check, accountId, detail }) => ({
    check,
    account_id: publicAccountId(accountId),
    detail,
  }));
  const read = since === null ? '' : `, read from ${since.toISOString()} on`;
  const counted = `${String(entries)} entries of ${String(accounts)} accounts${read}`;
  return {
    json: {
      ok,
      accounts,
      entries: Number(entries),
      since: since === null ? null : toUnixSeconds(since),
      differences: found,
    },
    text: ok
      ? `The books are right: ${counted}.`
      : [
          `The books differ (${counted}):`,
          ...found.map((one) => `${one.check}: ${one.account_id ?? 'all accounts'}: ${one.detail}`),
        ].join('\n'),
    exitCode: ok ? 0 : 1,
  };
}

/** A difference of the books as a whole belongs to no account. */
function publicAccountId(accountId: string | null): string | null {
  return accountId === null ? null : toPublicId('acct', accountId);
}
