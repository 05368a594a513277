import { findOwnerOfApiKey, revokeApiKey } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readApiKeyId } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program } from '../command-run';

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
      await change('key revoke', async ({ accounts, record }) => {
        const owner = await findOwnerOfApiKey(accounts, apiKeyId);
        if (owner === undefined) throw new CommandFailure(`There is no API key ${id}.`);
        const account_id = toPublicId('acct', owner);
        const revoked = await revokeApiKey(owner, accounts, apiKeyId, () => record(id, { account_id }));
        const json = { key_public_id: id, account_id, status: 'revoked' };
        if (!revoked?.isNew) return { json, text: `The API key ${id} was revoked before.`, unchanged: true };
        return { json, text: `The API key ${id} of ${account_id} is revoked.` };
      });
    });
}
