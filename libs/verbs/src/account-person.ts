import {
  changeEmail,
  EmailTakenError,
  eraseAccount,
  openAccounts,
  readPersonalData,
  renameAccount,
} from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { readBalance, readOwed } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import type { Pool, PoolClient } from 'pg';
import { requireAccount, requireAccountId, requireFound } from './accounts';
import { readEmail, readName } from './arguments';
import { CommandFailure } from './failures';
import { readAccount } from './named-accounts';
import type { Verbs } from './verb';

export const personCommands: Verbs = {
  'account rename': {
    help: 'change the name of an account; documents that were issued keep the former one',
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .requiredOption('--to <name>', 'new name', readName),
    examples: ['admin account rename acct_01jd0000000000000000000000 --to "Ada Lovelace"'],
    run:
      ({ change }) =>
      (accountId: string, { to }: { to: string }) =>
        change(async ({ client, record }) => {
          const { before } = requireFound(accountId, await renameAccount(accountId, client, to));
          const id = toPublicId('acct', accountId);
          const report = { json: { account_id: id, name: to }, text: `The account ${id} is named ${to}.` };
          if (before === to) return { ...report, unchanged: true };
          await record(id, { name_before: before, name: to });
          return report;
        }),
  },
  'account email': {
    help:
      'change the e-mail address by which the owner of an account signs in. Links that were sent to the former one end, ' +
      'sessions go on until somebody ends them.',
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .requiredOption('--to <address>', 'new e-mail address, unique', readEmail)
        .option('--yes', 'do not ask for confirmation'),
    examples: ['admin account email acct_01jd0000000000000000000000 --to ada@example.org'],
    run:
      ({ lookThenChange, confirm }) =>
      async (accountId: string, { to, yes }: { to: string; yes?: true }) => {
        const id = toPublicId('acct', accountId);
        const ask = async (pool: Pool): Promise<void> => {
          const { name, email } = await requireAccount(accountId, openAccounts(pool));
          await confirm(`Let ${to} sign in to the account of ${name} <${email}>, ${id}.`, yes);
        };
        await lookThenChange(ask, async ({ client, record }) => {
          const { before } = requireFound(
            accountId,
            await changeEmail(accountId, client, to).catch(toFailure),
          );
          const report = {
            json: { account_id: id, email: to },
            text: `The owner of ${id} signs in as ${to}.`,
          };
          if (before === to) return { ...report, unchanged: true };
          await record(id, { email_before: before, email: to });
          return report;
        });
      },
  },
  'account export': {
    help:
      'show everything that is kept of the person behind an account, as they may ask for by law. It has no prompts and ' +
      'no answers, since none are kept; their requests are in their own console, as CSV.',
    takes: (command) => command.argument('<account>', 'acct_…, or its e-mail address', readAccount),
    examples: ['admin account export acct_01jd0000000000000000000000 --json'],
    run:
      ({ read }) =>
      (accountId: string) =>
        read(async (pool, accounts) => {
          await requireAccountId(accountId, accounts);
          const json = await readPersonalData(accountId, pool);
          return { json, text: JSON.stringify(json, null, 2) };
        }),
  },
  'account erase': {
    help:
      'remove the person from an account for good: name, addresses, keys, devices, sessions, a saved card. This also ' +
      'withdraws an invite: its links end, and the address may be invited again. The account must be empty. The books stay, ' +
      'and documents as they were issued; events of credentials until their retention ends.',
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .option('--yes', 'do not ask for confirmation'),
    examples: ['admin account erase acct_01jd0000000000000000000000'],
    run:
      ({ lookThenChange, confirm }) =>
      async (accountId: string, { yes }: { yes?: true }) => {
        const id = toPublicId('acct', accountId);
        const ask = async (pool: Pool): Promise<void> => {
          const { name, email } = await requireAccount(accountId, openAccounts(pool));
          await confirm(`Erase ${name} <${email}>, ${id}.`, yes);
        };
        await lookThenChange(ask, async ({ client, record }) => {
          await requireEmpty(accountId, client);
          await eraseAccount(accountId, client);
          // The log is kept for ever: it does not name them.
          await record(id);
          return {
            json: { account_id: id, erased: true },
            text: `The account ${id} names nobody any more, and has no access.`,
          };
        });
      },
  },
};

/** Throws `CommandFailure` if money is on the account, is held, or is owed. */
async function requireEmpty(accountId: string, client: PoolClient): Promise<void> {
  const id = toPublicId('acct', accountId);
  const { balanceNano, heldNano } = await readBalance(client, accountId);
  if (heldNano > 0n)
    throw new CommandFailure(`Requests of ${id} are running, or wait for a review: erase it afterwards.`);
  if (balanceNano > 0n) {
    throw new CommandFailure(
      `The account ${id} has ${toDecimalUsd(balanceNano)} dollars: pay them back, and take them by an adjustment.`,
    );
  }
  const owedNano = await readOwed(client, accountId);
  if (owedNano > 0n)
    throw new CommandFailure(`The account ${id} owes ${toDecimalUsd(owedNano)} dollars: settle that first.`);
}

function toFailure(error: unknown): never {
  if (error instanceof EmailTakenError) throw new CommandFailure('Another account has that e-mail address.');
  throw error;
}
