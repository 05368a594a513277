import type { NanoUsd } from '@farebox/money';
import type { PoolClient } from 'pg';
import { noSuchAccount } from './accounts';

/**
 * Sets the threshold below which the owner of an account is mailed; null takes it away. With a new one he is mailed
 * again, if he is below it. Answers with the former one. `client` is that of a transaction. Throws `CommandFailure`.
 */
export async function changeLowBalance(
  client: PoolClient,
  accountId: string,
  thresholdNano: NanoUsd | null,
): Promise<NanoUsd | null> {
  const { rows } = await client.query<{ before: NanoUsd | null }>(
    'SELECT low_balance_nano AS before FROM account WHERE id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  const [account] = rows;
  if (!account) throw noSuchAccount(accountId);
  if (account.before !== thresholdNano) {
    await client.query(
      `UPDATE account SET low_balance_nano = $2, low_balance_mailed_at = NULL, low_balance_mailed_nano = NULL
       WHERE id = $1`,
      [accountId, thresholdNano],
    );
  }
  return account.before;
}
