import { toPublicId } from '@farebox/ids';
import { verifyLedger } from '@farebox/ledger';
import type { Command } from 'commander';
import type { Program, Report } from '../command-run';

export function addLedgerCommands(root: Command, { run, surroundings, wantsJson }: Program): void {
  root
    .command('ledger')
    .description('the books')
    .command('verify')
    .description('recompute every balance from the ledger; exit code 1 where the books differ')
    .addHelpText('after', '\nExample:\n  admin ledger verify')
    .action(async () => {
      await run(async (pool) => {
        const onProgress = (check: string, number: number, total: number): void => {
          if (!wantsJson()) surroundings.err(`${String(number)}/${String(total)} ${check}\n`);
        };
        return toReport(await verifyLedger(pool, { onProgress }));
      });
    });
}

function toReport({ ok, accounts, entries, differences }: Awaited<ReturnType<typeof verifyLedger>>): Report {
  const found = differences.map(({ check, accountId, detail }) => ({
    check,
    account_id: publicAccountId(accountId),
    detail,
  }));
  const counted = `${String(entries)} entries of ${String(accounts)} accounts`;
  return {
    json: { ok, accounts, entries: Number(entries), differences: found },
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
