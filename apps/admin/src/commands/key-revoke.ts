import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readApiKeyId } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program } from '../command-run';
import { revokeApiKey } from '../use-cases/api-keys';

export function addKeyRevokeCommand(key: Command, { change, confirm }: Program): void {
  key
    .command('revoke')
    .description('end an API key for good, at once; a stream that is running goes on')
    .argument('<key>', 'key_…', readApiKeyId)
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  admin key revoke key_01jd0000000000000000000000')
    .action(async (apiKeyId: string, { yes }: { yes?: true }) => {
      const id = toPublicId('key', apiKeyId);
      await confirm(`Revoke ${id}.`, yes);
      await change('key revoke', async ({ client, record }) => {
        const found = await revokeApiKey(client, apiKeyId);
        if (!found) throw new CommandFailure(`There is no API key ${id}.`);
        const account_id = toPublicId('acct', found.accountId);
        const json = { key_public_id: id, account_id, status: 'revoked' };
        if (!found.revoked) return { json, text: `The API key ${id} was revoked before.`, unchanged: true };
        await record(id, { account_id });
        return { json, text: `The API key ${id} of ${account_id} is revoked.` };
      });
    });
}
