import { issueApiKey } from '@farebox/accounts';
import { createKeyHasher } from '@farebox/auth';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readAccountId, readKeyName } from '../arguments';
import type { Program } from '../command-run';
import { readKeyPeppers } from '../config';
import { requireAccountId } from '../use-cases/accounts';

const WITHOUT_LIMITS = { monthlySpendLimitNano: null, expiresAt: null, modelPolicy: null };

export function addKeyCreateCommand(key: Command, { change, surroundings }: Program): void {
  key
    .command('create')
    .description('create an API key of an account, without limits; the key is shown once')
    .argument('<account>', 'acct_…', readAccountId)
    .requiredOption('--name <name>', 'name of the key', readKeyName)
    .addHelpText('after', '\nExample:\n  admin key create acct_01jd0000000000000000000000 --name laptop')
    .action(async (accountId: string, { name }: { name: string }) => {
      await change('key create', async ({ accounts, record }) => {
        const hasher = createKeyHasher(readKeyPeppers(surroundings.environment));
        await requireAccountId(accountId, accounts);
        const { apiKeyId, secret } = await issueApiKey(accountId, accounts, hasher, {
          name,
          ...WITHOUT_LIMITS,
        });
        const id = toPublicId('key', apiKeyId);
        await record(id, { account_id: toPublicId('acct', accountId), name });
        return {
          json: { key: secret, key_public_id: id },
          text: `${secret}\nKeep it: it is not shown again. Its id is ${id}.`,
        };
      });
    });
}
