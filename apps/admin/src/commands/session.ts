import { createSession } from '@farebox/auth';
import { createPrismaClient } from '@farebox/database';
import type { Command } from 'commander';
import { readAccountId } from '../arguments';
import type { Program } from '../command-run';
import { requireAccount } from '../use-cases/accounts';

export function addSessionCommands(root: Command, { run }: Program): void {
  root
    .command('session')
    .description('account sessions')
    .command('create')
    .description('start a session of an account; its token is shown once')
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', '\nExample:\n  admin session create acct_01jd0000000000000000000000')
    .action(async (accountId: string) => {
      await run(async (pool) => {
        await requireAccount(accountId, createPrismaClient(pool));
        const { token, expiresAt } = await createSession(accountId, pool);
        return {
          json: { session_token: token },
          text: `${token}\nKeep it: it is not shown again. It ends on ${expiresAt.toISOString()} at the latest.`,
        };
      });
    });
}
