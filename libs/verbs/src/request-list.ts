import { findKeyOwners, findOwnerOfApiKey, type Accounts } from '@farebox/accounts';
import { fromRequestId, toPublicId } from '@farebox/auth';
import { toUnixSeconds, type ListPage } from '@farebox/api';
import { UNCHARGED_OUTCOMES, USAGE_OUTCOMES } from '@farebox/errors';
import {
  searchAccountRequests,
  searchRequests,
  type OutcomeFilter,
  type RequestSearch,
  type SearchedPage,
  type SearchedRequest,
} from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import { InvalidArgumentError, Option } from 'commander';
import type { Pool } from 'pg';
import { requireAccountId } from './accounts';
import { readApiKeyId, readLine, readTime } from './arguments';
import { CommandFailure, NotFoundFailure } from './failures';
import { addPageOptions, givenLimit, nextCommand, toListReport, type GivenPage, toIso } from './lists';
import { readAccount } from './named-accounts';
import type { Report } from './report';
import type { Verbs } from './verb';

const OUTCOMES: readonly OutcomeFilter[] = ['all', 'charged', ...USAGE_OUTCOMES, ...UNCHARGED_OUTCOMES];

interface GivenSearch extends GivenPage {
  account?: string;
  key?: string;
  model?: string;
  upstream?: string;
  outcome: OutcomeFilter;
  since?: Date;
  until?: Date;
}

export const requestListCommands: Verbs = {
  'request list': {
    help:
      'list requests that have ended, newest first: by their start, or by their end if an account or a key is given. ' +
      'A page of something rare may be short, or empty, although there are more.',
    takes: (command) =>
      addPageOptions(
        command
          .option('--account <account>', 'acct_…, or its e-mail address', readAccount)
          .option('--key <key>', 'key_…', readApiKeyId)
          .option('--model <model>', 'only requests to this model', readLine)
          .option('--upstream <upstream>', 'only requests that this upstream answered', readLine)
          .addOption(
            new Option('--outcome <outcome>', 'only requests that ended so').choices(OUTCOMES).default('all'),
          )
          .option('--since <time>', 'start, like today, 7d, 2026-11 or 2026-11-01', readTime)
          .option('--until <time>', 'end, exclusive', readTime),
        { of: 'request', description: 'continue after this one, req_…', read: readRequestId },
      ),
    examples: [
      'admin request list --outcome failed',
      'admin request list --account acct_01jd0000000000000000000000 --model farebox-large --since 7d',
      'admin request list --key key_01jd0000000000000000000000 --limit 20 --json',
    ],
    run:
      ({ read }) =>
      (given: GivenSearch) =>
        read((pool, accounts) => list(pool, accounts, given)),
  },
};

function readRequestId(text: string): string {
  const id = fromRequestId(text);
  if (id === undefined) throw new InvalidArgumentError('The id of a request looks like req_01jd….');
  return id;
}

async function list(pool: Pool, accounts: Accounts, given: GivenSearch): Promise<Report> {
  const { since, until, limit, account, key, model, upstream, outcome } = given;
  if (since !== undefined && until !== undefined && since >= until)
    throw new CommandFailure('--since must be before --until.');
  const found = await search(pool, accounts, given);
  const owners = await findKeyOwners(pool, [...new Set(found.requests.map(({ apiKeyId }) => apiKeyId))]);
  const options = {
    ...{ account: account && toPublicId('acct', account), key: key && toPublicId('key', key) },
    ...{ model, upstream, outcome: outcome === 'all' ? undefined : outcome },
    ...{ since: since?.toISOString(), until: until?.toISOString(), limit: givenLimit(limit) },
  };
  const page = toPage(
    found,
    found.requests.map((request) => toJson(request, owners.get(request.apiKeyId))),
  );
  return toListReport(page, {
    columns: [
      ...['ended', 'request', 'e-mail', 'model', 'outcome'].map((name) => ({ name })),
      ...[{ name: 'cost', align: 'right' } as const, { name: 'upstream' }],
    ],
    toRow: (one) => [
      ...[toIso(one.ended_at), one.id, one.email, one.model ?? 'not known'],
      ...[one.error_code ?? one.outcome, one.cost ?? '', one.upstream ?? ''],
    ],
    none: page.has_more
      ? 'None of the newest requests is such a one. There may be older ones.'
      : 'There is no such request.',
    next: (lastId) => nextCommand('request list', options, lastId),
  });
}

/** Throws `NotFoundFailure` if there is no such account, key, or request to continue after. */
async function search(pool: Pool, accounts: Accounts, given: GivenSearch): Promise<SearchedPage> {
  const { outcome, model, upstream, since, until, after, limit } = given;
  const wanted: RequestSearch = {
    ...{ outcome, modelId: model, upstreamId: upstream, from: since, to: until },
    ...{ afterId: after, limit },
  };
  const accountId = await accountOf(accounts, given);
  if (accountId === undefined) return searchRequests(pool, wanted);
  const found = await searchAccountRequests(pool, { accountId, apiKeyId: given.key }, wanted);
  if (found) return found;
  throw new NotFoundFailure(
    `The account has no request ${toPublicId('req', after ?? '')} to continue after.`,
  );
}

async function accountOf(accounts: Accounts, { account, key }: GivenSearch): Promise<string | undefined> {
  if (key === undefined) {
    if (account !== undefined) await requireAccountId(account, accounts);
    return account;
  }
  const owner = await findOwnerOfApiKey(accounts, key);
  if (owner === undefined || (account !== undefined && account !== owner))
    throw new NotFoundFailure(`There is no API key ${toPublicId('key', key)}.`);
  return owner;
}

function toPage<Row extends { id: string }>({ nextAfterId }: SearchedPage, data: Row[]): ListPage<Row> {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: nextAfterId === undefined ? (data.at(-1)?.id ?? null) : toPublicId('req', nextAfterId),
    has_more: nextAfterId !== undefined,
  };
}

function toJson(request: SearchedRequest, owner: { name: string; email: string } | undefined) {
  const { id, accountId, apiKeyId, costNano } = request;
  return {
    id: toPublicId('req', id),
    request_id: request.requestId,
    ended_at: toUnixSeconds(request.createdAt),
    account_id: toPublicId('acct', accountId),
    email: owner?.email ?? '',
    key_public_id: toPublicId('key', apiKeyId),
    key_name: owner?.name ?? '',
    model: request.modelId,
    upstream: request.upstreamId,
    outcome: request.outcome,
    error_code: request.errorCode,
    prompt_tokens: request.promptTokens,
    completion_tokens: request.completionTokens,
    cost: costNano === null ? null : toDecimalUsd(costNano),
    currency: 'usd',
    streamed: request.streamed,
    latency_ms: request.latencyMs,
  };
}
