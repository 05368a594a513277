import { ApiError } from '@farebox/errors';
import { listStatements, type Statement } from '@farebox/ledger';
import type { Sources } from './sources';

/** A page of the account's statements, newest month first, plus one if there are more. Months are like `2026-10`. */
export function listOwnStatements(
  accountId: string,
  { pool }: Sources,
  { limit, afterMonth }: { limit: number; afterMonth: string | undefined },
  now: Date,
): Promise<Statement[]> {
  const after = afterMonth === undefined ? undefined : startOf(afterMonth);
  const next = monthAfter(now);
  return listStatements(pool, accountId, {
    before: after !== undefined && after < next ? after : next,
    limit: limit + 1,
  });
}

/** The account's statement of a month. Throws if it had no transaction until then, or if the month has not begun. */
export async function findOwnStatement(
  accountId: string,
  { pool }: Sources,
  month: string,
  now: Date,
): Promise<Statement> {
  const startsAt = startOf(month);
  if (startsAt > now) throw statementNotFound();
  const [statement] = await listStatements(pool, accountId, { before: monthAfter(startsAt), limit: 1 });
  if (!statement) throw statementNotFound();
  return statement;
}

export function statementNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'month',
    message: 'There is no statement of this month.',
  });
}

const startOf = (month: string): Date => new Date(`${month}-01T00:00:00Z`);

const monthAfter = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1));
