import { MOST_CSV_LINES } from '@farebox/api';
import {
  boundRequests,
  countEntries,
  ownsEntry,
  readEntries,
  readRequests,
  type EntryPage,
  type LedgerEntry,
  type ListedRequest,
} from '@farebox/ledger';
import { requireCursor } from './account';
import { requireExportable } from './exportable';
import { withKeyNames, type Named } from './key-names';
import type { Sources } from './sources';
import { requireKnownFilter, requireRequestCursor, type RequestPage } from './usage';

/** Records in parts, each of which is read when the one before was taken. */
export type Export<Row> = AsyncIterable<Named<Row>[]>;

/**
 * All of the account's requests in a range, newest first. Throws `invalid_request_error`, also if there may be more
 * than `MOST_CSV_LINES`.
 */
export async function exportOwnRequests(
  accountId: string,
  sources: Sources,
  { start, end, afterId, outcome, ...filter }: Omit<RequestPage, 'limit'>,
  now: Date,
): Promise<Export<ListedRequest>> {
  const after = afterId === undefined ? undefined : await requireRequestCursor(accountId, sources, afterId);
  const range = { ...filter, from: start, to: end, after };
  const most = MOST_CSV_LINES + 1;
  const bound = await boundRequests(sources.pool, accountId, outcome, { ...range, most });
  if (bound === 0) await requireKnownFilter(accountId, sources, filter);
  requireExportable(bound);
  const keyOf = ({ apiKeyId }: ListedRequest) => apiKeyId;
  return named(accountId, sources, readRequests(sources.pool, accountId, outcome, range), { keyOf, now });
}

/** All of the account's ledger entries in a range, newest first. Throws `invalid_request_error`, like the other. */
export async function exportTransactions(
  accountId: string,
  sources: Sources,
  range: Omit<EntryPage, 'limit'>,
  now: Date,
): Promise<Export<LedgerEntry>> {
  const owns = (owner: string, id: string) => ownsEntry(sources.pool, owner, id);
  await requireCursor(accountId, range.afterId, owns, 'id of a transaction');
  requireExportable(await countEntries(sources.pool, accountId, { ...range, most: MOST_CSV_LINES + 1 }));
  return named(accountId, sources, readEntries(sources.pool, accountId, range), {
    keyOf: keyOfEntry,
    now,
  });
}

export const keyOfEntry = ({ request }: LedgerEntry): string | undefined => request?.apiKeyId;

async function* named<Row>(
  accountId: string,
  sources: Sources,
  parts: AsyncIterable<Row[]>,
  naming: { keyOf: (row: Row) => string | undefined; now: Date },
): Export<Row> {
  const known = new Map<string, string>();
  for await (const part of parts) yield withKeyNames(accountId, sources, part, { ...naming, known });
}
