import { uuidV7 } from '@farebox/ids';
import { postToOutbox, type Queryable } from '../post-to-outbox';

/**
 * Asks for a link to sign in to be mailed to an address. Nothing here depends on whose address it is, if anybody's: that
 * is looked up when the mail is sent. For the account service.
 */
export async function askForSignInMail(db: Queryable, address: string): Promise<void> {
  await db.query('SELECT mail_ask_sign_in($1, $2)', [uuidV7(), address]);
}

/** Posts an invite in the caller's transaction. Its link is made when it is sent. Needs the owner's rights. */
export async function postInviteMail(client: Queryable, accountId: string): Promise<void> {
  const mailId = uuidV7();
  await client.query(`INSERT INTO mail (id, kind, account_id) VALUES ($1, 'invite', $2)`, [
    mailId,
    accountId,
  ]);
  await postToOutbox(client, 'send-mail', { mailId }, mailId);
}
