import { createKeyHasher, issueApiKey } from '@farebox/auth';
import { createPrismaClient } from '@farebox/database';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readAccountId, readKeyName } from '../arguments';
import { readKeyPeppers } from '../config';
import type { Program } from '../command-run';
import { requireAccount } from '../use-cases/accounts';

export function addKeyCommands(root: Command, { run, surroundings }: Program): void {
  root
    .command('key')
    .description('API keys')
    .command('create')
    .description('create an API key of an account, without limits; the key is shown once')
    .argument('<account>', 'acct_…', readAccountId)
    .requiredOption('--name <name>', 'name of the key', readKeyName)
    .addHelpText('after', '\nExample:\n  admin key create acct_01jd0000000000000000000000 --name laptop')
    .action(async (accountId: string, { name }: { name: string }) => {
      await run(async (pool) => {
        const hasher = createKeyHasher(readKeyPeppers(surroundings.environment));
        const prisma = createPrismaClient(pool);
        await requireAccount(accountId, prisma);
        const { rows } = await pool.query<{ now: Date }>('SELECT now()');
        const settings = { name, monthlySpendLimitNano: null, expiresAt: null, modelPolicy: null };
        const { secret, apiKey } = await issueApiKey(
          accountId,
          prisma,
          hasher,
          settings,
          rows[0]?.now ?? new Date(),
        );
        return {
          json: { key: secret, key_public_id: toPublicId('key', apiKey.id) },
          text: `${secret}\nKeep it: it is not shown again. Its id is ${toPublicId('key', apiKey.id)}.`,
        };
      });
    });
}
