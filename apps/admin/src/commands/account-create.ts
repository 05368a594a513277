import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readEmail, readLine } from '../arguments';
import type { Program } from '../command-run';
import { createFundedAccount } from '../use-cases/create-account';

export function addCreateCommand(account: Command, { change }: Program): void {
  account
    .command('create')
    .description(
      'create an invited account; the same e-mail and name again answer with the account that is there',
    )
    .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
    .requiredOption('--name <name>', 'name of the customer', readLine)
    .addHelpText('after', '\nExample:\n  admin account create --email ada@example.com --name Ada')
    .action(async (given: { email: string; name: string }) => {
      await change('account create', async ({ client, accounts, record }) => {
        const { accountId, created } = await createFundedAccount({ client, accounts }, given);
        const id = toPublicId('acct', accountId);
        const json = { account_id: id };
        if (!created) return { json, text: `The account ${id} exists already.`, unchanged: true };
        await record(id);
        return {
          json,
          text: `Created the account ${id}. It has no access yet: admin account activate ${id}`,
        };
      });
    });
}
