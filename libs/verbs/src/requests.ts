import { findApiKey, type Account, type Accounts, type ApiKey } from '@farebox/accounts';
import { fromRequestId, toPublicId } from '@farebox/auth';
import { toUnixSeconds } from '@farebox/api';
import {
  findReceipt,
  findRequestNamed,
  findRequestTrace,
  type Measured,
  type Receipt,
  type RequestTrace,
} from '@farebox/ledger';
import { byTokenColumn, toDecimalUsd } from '@farebox/money';
import type { Pool } from 'pg';
import { requireAccount } from './accounts';
import { readLine } from './arguments';
import { readAccount } from './named-accounts';
import { type CommandFailure, NotFoundFailure } from './failures';
import type { Verbs } from './verb';
import { toFields } from './lists';
import type { Report } from './report';

export const requestCommands: Verbs = {
  'request show': {
    help:
      'show what happened to a request of any account: from its hold to its charge, with its upstream. A request ' +
      'appears a moment after its response.',
    takes: (command) =>
      command
        .argument(
          '<request>',
          "req_…, chatcmpl-…, resp_… or msg_…; with --account also the client's own id",
          readLine,
        )
        .option(
          '--account <account>',
          "its account, acct_… or e-mail address, to search by the client's own id",
          readAccount,
        ),
    examples: [
      'admin request show req_01jd0000000000000000000000',
      'admin request show order-17 --account acct_01jd0000000000000000000000 --json',
    ],
    run:
      ({ read }) =>
      (text: string, { account }: { account?: string }) =>
        read((pool, accounts) => show(pool, accounts, text, account)),
  },
};

async function show(pool: Pool, accounts: Accounts, text: string, accountId?: string): Promise<Report> {
  const named = accountId === undefined ? undefined : await findRequestNamed(pool, accountId, text);
  const id = named ?? fromRequestId(text);
  const trace = id === undefined ? undefined : await findRequestTrace(pool, id);
  const receipt = trace && (await findReceipt(pool, trace.accountId, trace.id));
  if (!trace || !receipt || (accountId !== undefined && trace.accountId !== accountId))
    throw noSuchRequest(text, accountId);
  const account = await requireAccount(trace.accountId, accounts);
  const key = await findApiKey(trace.accountId, accounts, receipt.apiKeyId, new Date());
  return {
    json: toJson({ receipt, trace, account, key }),
    text: toText({ receipt, trace, account, key }),
  };
}

function noSuchRequest(text: string, accountId: string | undefined): CommandFailure {
  const hint = accountId === undefined ? " To search by the client's own id, give --account." : '';
  return new NotFoundFailure(`There is no request ${text}.${hint}`);
}

interface Found {
  receipt: Receipt;
  trace: RequestTrace;
  account: Account;
  key: ApiKey;
}

function toJson({ receipt, trace, account, key }: Found) {
  const { route, abandonedNano, entries } = trace;
  return {
    id: toPublicId('req', receipt.id),
    request_id: receipt.requestId,
    state: receipt.state,
    account_id: toPublicId('acct', account.id),
    account_email: account.email,
    key_public_id: toPublicId('key', key.id),
    key_name: key.name,
    model: receipt.modelId,
    upstream: route?.upstreamId ?? null,
    upstream_model: route?.upstreamModel ?? null,
    currency: 'usd',
    held: receipt.state === 'running' ? toDecimalUsd(receipt.heldNano) : null,
    ...('measured' in receipt ? toMeasuredJson(receipt.measured) : NOT_MEASURED),
    upstream_cost: route?.costNano == null ? null : toDecimalUsd(route.costNano),
    abandoned_cost: abandonedNano === undefined ? null : toDecimalUsd(abandonedNano),
    error_code: 'errorCode' in receipt ? receipt.errorCode : null,
    error_message: 'errorMessage' in receipt ? receipt.errorMessage : null,
    error_param: 'errorParam' in receipt ? receipt.errorParam : null,
    http_status: 'httpStatus' in receipt ? receipt.httpStatus : null,
    ended_at: receipt.state === 'running' ? null : toUnixSeconds(receipt.endedAt),
    entries: entries.map(({ kind, amountNano, balanceAfterNano, createdAt }) => ({
      ...{ type: kind, amount: toDecimalUsd(amountNano), balance_after: toDecimalUsd(balanceAfterNano) },
      created_at: toUnixSeconds(createdAt),
    })),
    review: receipt.review
      ? {
          review_id: toPublicId('rev', receipt.id),
          reason: receipt.review.reason,
          state: receipt.review.state,
        }
      : null,
  };
}

const NOT_MEASURED = { usage: null, cost: null, outcome: null, estimated: null, first_token_ms: null };

function toMeasuredJson(measured: Measured) {
  return {
    usage: {
      prompt_tokens: measured.promptTokens,
      completion_tokens: measured.completionTokens,
      ...byTokenColumn((kind) => measured[kind] ?? null),
    },
    cost: toDecimalUsd(measured.costNano),
    outcome: measured.outcome,
    estimated: measured.estimated,
    first_token_ms: measured.firstTokenMs,
  };
}

function toText({ receipt, trace, account, key }: Found): string {
  const fields: [label: string, text: string][] = [
    ['account', `${toPublicId('acct', account.id)}  ${account.name} <${account.email}>`],
    ['API key', `${toPublicId('key', key.id)}  ${key.name}, ends in ${key.hint}`],
    ['model', receipt.modelId ?? 'not known'],
    ['upstream', describeRoute(trace)],
    ...describeEnd(receipt),
    ...trace.entries.map(({ kind, amountNano, balanceAfterNano, createdAt }): [string, string] => [
      kind,
      `${toDecimalUsd(amountNano)} dollars at ${createdAt.toISOString()}, balance ${toDecimalUsd(balanceAfterNano)}`,
    ]),
  ];
  if (trace.abandonedNano !== undefined)
    fields.push([
      'abandoned',
      `its client left: ${toDecimalUsd(trace.abandonedNano)} dollars of upstream cost`,
    ]);
  if (receipt.review)
    fields.push([
      'review',
      `${toPublicId('rev', receipt.id)}  ${receipt.review.reason}, ${receipt.review.state}`,
    ]);
  return `${toPublicId('req', receipt.id)}  ${receipt.state}${toOwnId(receipt)}\n${toFields(fields)}`;
}

/** The client's own id, if it chose one. */
function toOwnId({ id, requestId }: Receipt): string {
  return requestId === toPublicId('req', id) ? '' : `, "${requestId}" to its client`;
}

function describeRoute({ route }: RequestTrace): string {
  if (!route) return 'none was asked, or it is not known';
  const cost = route.costNano === null ? 'cost not known' : `cost ${toDecimalUsd(route.costNano)} dollars`;
  return `${route.upstreamId}/${route.upstreamModel}, ${cost}`;
}

function describeEnd(receipt: Receipt): [label: string, text: string][] {
  switch (receipt.state) {
    case 'running':
      return [['held', `${toDecimalUsd(receipt.heldNano)} dollars since ${receipt.heldSince.toISOString()}`]];
    case 'charged':
    case 'refunded':
    case 'in_review': {
      const { measured } = receipt;
      const first =
        measured.firstTokenMs === null ? '' : `, first token after ${String(measured.firstTokenMs)} ms`;
      const counted = measured.estimated ? ', counted by the service itself' : '';
      return [
        [
          'usage',
          `${String(measured.promptTokens)} prompt and ${String(measured.completionTokens)} completion tokens${counted}`,
        ],
        ['outcome', `${measured.outcome}, ${measured.streamed ? 'streamed' : 'in one piece'}`],
        ['time', `${String(measured.latencyMs)} ms${first}, until ${receipt.endedAt.toISOString()}`],
      ];
    }
    case 'released':
      return [['released', `without a charge, at ${receipt.endedAt.toISOString()}`]];
    case 'refused':
    case 'failed': {
      const { errorCode, errorMessage, errorParam, httpStatus, latencyMs, endedAt } = receipt;
      const error =
        errorCode === null
          ? 'its client had left'
          : `${String(httpStatus)} ${errorCode}${errorParam === null ? '' : ` (${errorParam})`}: ${errorMessage ?? 'no message was kept'}`;
      return [
        ['error', error],
        ['time', `${String(latencyMs)} ms, until ${endedAt.toISOString()}`],
      ];
    }
  }
}
