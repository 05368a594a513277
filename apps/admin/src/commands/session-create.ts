import { createSession } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readAccountId } from '../arguments';
import type { Program } from '../command-run';
import { requireAccountId } from '../use-cases/accounts';

export function addSessionCreateCommand(session: Command, { change }: Program): void {
  session
    .command('create')
    .description('start a session of an account; its token is shown once')
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', '\nExample:\n  admin session create acct_01jd0000000000000000000000')
    .action(async (accountId: string) => {
      await change('session create', async ({ accounts, record }) => {
        await requireAccountId(accountId, accounts);
        const { token, expiresAt } = await createSession(accountId, accounts);
        await record(toPublicId('acct', accountId), { expires_at: expiresAt.toISOString() });
        return {
          json: { session_token: token },
          text: `${token}\nKeep it: it is not shown again. It ends on ${expiresAt.toISOString()} at the latest.`,
        };
      });
    });
}
