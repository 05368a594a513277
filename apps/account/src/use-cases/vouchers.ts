import { takeAttempt, type Actor, type AttemptLimit } from '@farebox/accounts';
import { redeemVoucher } from '@farebox/billing';
import { ApiError } from '@farebox/errors';
import { SECOND_MS } from '@farebox/flow';
import type { OwnFunding } from './billing';
import type { Sources } from './sources';

/** Guessing a code is hopeless: this only spares the database. */
const TRIES_OF_ACCOUNT: AttemptLimit = { burst: 20, everyMs: 60_000 };
const TRIES_OF_NETWORK: AttemptLimit = { burst: 100, everyMs: 10_000 };

/**
 * Redeems the code of a voucher, once: again, it returns the same top-up. Throws `invalid_request_error`, the same for
 * an unknown code and for one that another account has redeemed, and `rate_limit_error` before the code is checked.
 */
export async function redeemOwnVoucher(
  accountId: string,
  { pool, accounts }: Pick<Sources, 'pool' | 'accounts'>,
  code: string,
  actor: Actor,
): Promise<OwnFunding> {
  await requireTry({ what: 'vouchers_of_account', who: accountId }, accounts, TRIES_OF_ACCOUNT);
  const network = 'caller' in actor ? actor.caller.network : null;
  if (network !== null)
    await requireTry({ what: 'vouchers_of_network', who: network }, accounts, TRIES_OF_NETWORK);
  const redemption = await redeemVoucher(pool, accountId, code);
  switch (redemption.outcome) {
    case 'redeemed': {
      const { fundingId: id, amountNano, redeemedAt: createdAt } = redemption;
      return { id, method: 'voucher', amountNano, createdAt, receiptNumber: null };
    }
    case 'limited':
      throw refusal('This account has redeemed as many vouchers of this kind as it may.');
    case 'refused':
      throw refusal(
        'No voucher can be redeemed with this code. It may be mistyped, have expired, or have been redeemed before.',
      );
  }
}

async function requireTry(
  subject: Parameters<typeof takeAttempt>[1],
  accounts: Sources['accounts'],
  limit: AttemptLimit,
): Promise<void> {
  if (await takeAttempt(accounts, subject, limit)) return;
  throw new ApiError('rate_limit_error', {
    message: 'Too many codes of vouchers were tried. Wait before the next one.',
    retryAfterSeconds: limit.everyMs / SECOND_MS,
  });
}

function refusal(message: string): ApiError {
  return new ApiError('invalid_request_error', { param: 'code', message });
}
