import { endAllAccountSessions, endAccountSession, findOwnerOfSession } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readAccountId, readSessionId } from '../arguments';
import type { Change } from '../audit/run-change';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';
import { requireAccountId } from '../use-cases/accounts';

export function addSessionRevokeCommand(session: Command, { change }: Program): void {
  const command = session
    .command('revoke')
    .description('end a session, or all sessions of an account, at once; its owner signs in anew')
    .argument('[session]', 'sess_…', readSessionId)
    .option('--all-of <account>', 'all sessions of this account, acct_…', readAccountId)
    .addHelpText(
      'after',
      '\nExamples:\n  admin session revoke sess_01jd0000000000000000000000\n' +
        '  admin session revoke --all-of acct_01jd0000000000000000000000',
    );
  command.action(async (sessionId: string | undefined, { allOf }: { allOf?: string }) => {
    if ((sessionId === undefined) === (allOf === undefined)) {
      command.error('error: give the id of a session, or --all-of an account');
    }
    await change('session revoke', (made) =>
      sessionId === undefined ? revokeAll(made, allOf ?? '') : revokeOne(made, sessionId),
    );
  });
}

async function revokeOne({ accounts, record }: Change, sessionId: string): Promise<Report> {
  const id = toPublicId('sess', sessionId);
  const owner = await findOwnerOfSession(accounts, sessionId);
  if (owner === undefined) throw new CommandFailure(`There is no session ${id}.`);
  const account_id = toPublicId('acct', owner);
  const found = await endAccountSession(owner, accounts, sessionId, () => record(id, { account_id }));
  const json = { session_id: id, account_id, revoked: found?.isNew ? 1 : 0 };
  if (!found?.isNew) return { json, text: `The session ${id} had ended before.`, unchanged: true };
  return { json, text: `The session ${id} of ${account_id} has ended.` };
}

async function revokeAll({ accounts, record }: Change, accountId: string): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const revoked = await endAllAccountSessions(accountId, accounts);
  const id = toPublicId('acct', accountId);
  const json = { account_id: id, revoked };
  if (revoked === 0) return { json, text: `The account ${id} has no live sessions.`, unchanged: true };
  await record(id, { revoked });
  return { json, text: `${String(revoked)} sessions of ${id} have ended.` };
}
