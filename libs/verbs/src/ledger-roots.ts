import { fromPublicId, fromRequestId, toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/api';
import {
  findProof,
  listRoots,
  noteRootsVerified,
  ownerOfEntry,
  type RootDifference,
  type RootVerification,
  type StoredDay,
  toPublishedProof,
  toPublishedRoot,
  verifyRoots,
} from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import type { Pool } from 'pg';
import { readDay, readLine } from './arguments';
import type { Change } from './audit-log';
import { CommandFailure, NotFoundFailure } from './failures';
import { addPageOptions, givenLimit, nextCommand, toListReport, type GivenPage, toIso } from './lists';
import type { Report } from './report';
import type { Verbs } from './verb';

export const rootCommands: Verbs = {
  'ledger roots': {
    help: 'list the Merkle roots of the ledger, one for each day that is over, newest first, and when they were verified',
    takes: (command) =>
      addPageOptions(command, { of: 'day', description: 'continue before this day', read: readDayName }),
    examples: ['admin ledger roots', 'admin ledger roots --limit 31 --json'],
    run:
      ({ read }) =>
      (given: GivenPage) =>
        read((pool) => list(pool, given)),
  },
  'ledger verify-roots': {
    help:
      'recompute the roots of past days from the entries; exit code 1 if anything differs, with the first days and ' +
      'entries that do. Days that are right are noted.',
    takes: (command) =>
      command.option('--since <day>', 'from this day on, like 7d or 2026-11-01 (default: all)', readDayName),
    examples: ['admin ledger verify-roots', 'admin ledger verify-roots --since 30d'],
    run:
      ({ lookThenChange, progress }) =>
      async ({ since }: { since?: string }) => {
        const onDay = (day: string, entries: bigint): void => {
          progress(`${day}: ${String(entries)} entries read`);
        };
        await lookThenChange((pool) => verifyRoots(pool, { since, onDay }), note);
      },
  },
  'ledger prove': {
    help:
      'print the proof that a transaction, or the charge of a request, is in the root of its day. ' +
      'npx @farebox/client check-proof checks it without the service.',
    takes: (command) =>
      command.argument('<id>', 'txn_…, fund_…, req_…, chatcmpl-…, resp_… or msg_…', readLine),
    examples: ['admin ledger prove txn_01jd0000000000000000000000 --json'],
    run:
      ({ read }) =>
      (id: string) =>
        read((pool) => prove(pool, id)),
  },
};

/** A day as roots are named by it. */
function readDayName(text: string): string {
  return readDay(text).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

async function list(pool: Pool, { limit, after }: GivenPage): Promise<Report> {
  const roots = await listRoots(pool, { before: after, limit: limit + 1 });
  const page = toListPage(roots.map(toRecord), limit, ({ day }) => day);
  return toListReport(page, {
    columns: [
      ...[{ name: 'day' }, { name: 'root' }, { name: 'entries', align: 'right' as const }],
      ...[{ name: 'amounts', align: 'right' as const }, { name: 'signed' }, { name: 'verified' }],
    ],
    toRow: (one) => [
      ...[one.day, one.root, String(one.entries), one.amounts, one.signature === null ? 'no' : 'yes'],
      one.verified_at === null ? 'not yet' : toIso(one.verified_at),
    ],
    none: 'No day has a root yet. The worker makes the root of a day soon after it is over.',
    next: (day) => nextCommand('ledger roots', { limit: givenLimit(limit) }, day),
  });
}

/** The amounts of a day are added up without a sign. */
function toRecord(root: StoredDay) {
  return {
    ...toPublishedRoot(root),
    entries: Number(root.entries),
    amounts: toDecimalUsd(toNanoUsd(root.amountNano)),
    verified_at: root.verifiedAt && toUnixSeconds(root.verifiedAt),
  };
}

async function note({ client, record }: Change, verification: RootVerification): Promise<Report> {
  const report = toReport(verification);
  const { ok, firstDay, lastDay, days, entries } = verification;
  if (!ok || firstDay === null || lastDay === null) return { ...report, unchanged: true };
  await noteRootsVerified(client, firstDay, lastDay);
  await record(null, { first_day: firstDay, last_day: lastDay, days, entries: Number(entries) });
  return report;
}

function toReport({ ok, firstDay, lastDay, days, entries, differences }: RootVerification) {
  const found = differences.map(toDifference);
  const read =
    firstDay === null
      ? 'no day has a root'
      : `${String(entries)} entries of ${firstDay} to ${String(lastDay)}`;
  return {
    json: { ok, first_day: firstDay, last_day: lastDay, days, entries: Number(entries), differences: found },
    text: ok
      ? `The roots are right: ${read}.`
      : [`The roots differ (${read}):`, ...found.map(describe)].join('\n'),
    exitCode: ok ? 0 : 1,
  };
}

function toDifference({ day, accountId, firstSeq, lastSeq, detail }: RootDifference) {
  return {
    day,
    account_id: accountId === null ? null : toPublicId('acct', accountId),
    first_entry: firstSeq === null ? null : Number(firstSeq),
    last_entry: lastSeq === null ? null : Number(lastSeq),
    detail,
  };
}

function describe({
  day,
  account_id,
  first_entry,
  last_entry,
  detail,
}: ReturnType<typeof toDifference>): string {
  const where =
    account_id === null ? '' : `${account_id}, entries ${String(first_entry)} to ${String(last_entry)}: `;
  return `${day}: ${where}${detail}`;
}

async function prove(pool: Pool, text: string): Promise<Report> {
  const id = fromPublicId('txn', text) ?? fromPublicId('fund', text) ?? fromRequestId(text);
  const accountId = id === undefined ? undefined : await ownerOfEntry(pool, id);
  if (id === undefined || accountId === undefined)
    throw new NotFoundFailure(`There is no transaction ${text}, and no charge of such a request.`);
  const proof = await findProof(pool, accountId, id);
  if (!proof) throw new CommandFailure('There is no proof yet: the day of this transaction has no root.');
  const json = toPublishedProof(proof);
  return { json, text: JSON.stringify(json, undefined, 2) };
}
