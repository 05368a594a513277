import { toUnixSeconds } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';

/** The newest mail to an account's owner, as the operator sees it. */
export interface LastMail {
  /** `sign_in`, `invite` or `low_balance`. */
  kind: string;
  /** What became of it, such as `sent`; or `waiting`. */
  state: string;
  posted_at: number;
}

/** A link that was asked for is known here once it has been dealt with: before, nobody looks up whose address it is. */
export async function findLastMail(accountId: string, prisma: PrismaClient): Promise<LastMail | undefined> {
  const mail = await prisma.mail.findFirst({ where: { accountId }, orderBy: { id: 'desc' } });
  if (!mail) return undefined;
  return { kind: mail.kind, state: mail.outcome ?? 'waiting', posted_at: toUnixSeconds(mail.createdAt) };
}
