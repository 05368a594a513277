import type { InviteStatus } from '@farebox/database';
import type { PoolClient } from 'pg';
import { CommandFailure } from '../command-failure';
import { noSuchAccount } from './accounts';

export type InviteChange = 'activate' | 'suspend';

/** Invite states: none → invited → active ⇄ suspended. An operator's activation is the invitation as well. */
const NEXT: Record<InviteChange, Record<InviteStatus, InviteStatus | undefined>> = {
  activate: { none: 'active', invited: 'active', active: 'active', suspended: 'active' },
  suspend: { none: undefined, invited: undefined, active: 'suspended', suspended: 'suspended' },
};

/**
 * Gives an account access, or takes it away: once this is committed, no later request of a suspended account is
 * admitted. `client` is that of a transaction. Throws `CommandFailure` for a step that the states do not have.
 */
export async function changeInviteStatus(
  client: PoolClient,
  accountId: string,
  change: InviteChange,
): Promise<{ before: InviteStatus; after: InviteStatus }> {
  const { rows } = await client.query<{ status: InviteStatus }>(
    'SELECT invite_status AS status FROM account WHERE id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  const [account] = rows;
  if (!account) throw noSuchAccount(accountId);
  const after = NEXT[change][account.status];
  if (after === undefined) {
    throw new CommandFailure(
      `An account whose invite status is "${account.status}" has no access to suspend.`,
    );
  }
  await client.query('UPDATE account SET invite_status = $2::invite_status WHERE id = $1', [
    accountId,
    after,
  ]);
  return { before: account.status, after };
}
