import { findOwnerOfApiKey } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import {
  LIMIT_MEASURES,
  listLimitPolicies,
  removeLimitPolicy,
  setLimitPolicy,
  type LimitMeasure,
  type LimitPolicy,
  type LimitTarget,
  type LimitWindow,
} from '@farebox/ledger';
import type { Queryable } from '@farebox/database';
import { toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import { Option, type Command } from 'commander';
import {
  readApiKeyId,
  readCohort,
  readLimitId,
  readLine,
  readPositiveCount,
  readPositiveUsd,
} from './arguments';
import { CommandFailure } from './failures';
import { toTable } from './lists';
import { readAccount } from './named-accounts';
import type { Report } from './report';
import type { Verbs } from './verb';

/** The words of an operator for the windows. */
const WINDOWS: Readonly<Record<string, LimitWindow>> = {
  minute: 'minute',
  '5h': 'five_hours',
  day: 'day',
  week: 'week',
  month: 'month',
};
const wordOf = (per: LimitWindow): string =>
  Object.keys(WINDOWS).find((word) => WINDOWS[word] === per) ?? per;

interface GivenTarget {
  account?: string;
  cohort?: string;
  key?: string;
  model?: string;
}

interface GivenLimit extends GivenTarget {
  requests?: bigint;
  tokens?: bigint;
  concurrency?: bigint;
  spend?: NanoUsd;
  per?: string;
}

export const limitPolicyCommands: Verbs = {
  'limit set': {
    help: 'limit what an account, a key, each account of a cohort or each account with a model may use; the tightest limit counts',
    takes: (command) =>
      addTargetOptions(command)
        .option('--requests <count>', 'requests in a window', readPositiveCount)
        .option('--tokens <count>', 'tokens of prompts and outputs in a window', readPositiveCount)
        .option('--concurrency <count>', 'requests at once', readPositiveCount)
        .option('--spend <dollars>', 'dollars in a window', readPositiveUsd)
        .addOption(
          new Option('--per <window>', 'the window, which begins at a fixed time in UTC').choices(
            Object.keys(WINDOWS),
          ),
        ),
    examples: [
      'admin limit set --cohort beta --tokens 100000 --per minute',
      'admin limit set --account acct_01jd0000000000000000000000 --model farebox-large --spend 5.00 --per 5h',
      'admin limit set --key key_01jd0000000000000000000000 --concurrency 4',
    ],
    run:
      ({ change }, command: Command) =>
      async (given: GivenLimit) => {
        const target = toTarget(given, command);
        const asked = toMost(given, command);
        await change(async ({ client, record }) => {
          await requireTarget(client, target);
          const { policy, before } = await setLimitPolicy(client, { ...target, ...asked });
          const report = toReport(policy);
          if (before === policy.most) return { ...report, unchanged: true };
          const { limit_id: id, ...details } = report.json;
          const former = before === undefined ? null : toAmount(policy.measure, before);
          await record(id, { ...details, ...(await ownerOf(client, policy)), limit_before: former });
          return report;
        });
      },
  },
  'limit list': {
    help: 'list the limits that are set, all of them or those of an account, a cohort, a key or a model',
    takes: addTargetOptions,
    examples: ['admin limit list', 'admin limit list --account acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (given: GivenTarget) =>
        read(async (pool) => toList(await listLimitPolicies(pool, targetOf(given)))),
  },
  'limit remove': {
    help: 'remove a limit; it counts no more from the next request on',
    takes: (command) => command.argument('<limit>', 'lim_…', readLimitId),
    examples: ['admin limit remove lim_01jd0000000000000000000000'],
    run:
      ({ change }) =>
      async (limitId: string) => {
        await change(async ({ client, record }) => {
          const id = toPublicId('lim', limitId);
          const removed = await removeLimitPolicy(client, limitId);
          if (!removed) throw new CommandFailure(`There is no limit ${id}.`);
          const { limit_id: target, ...details } = toReport(removed).json;
          await record(target, { ...details, ...(await ownerOf(client, removed)) });
          return { json: { limit_id: id, removed: true }, text: `The limit ${id} is removed.` };
        });
      },
  },
};

/** For the log, which finds what was done to an account's keys by it. */
async function ownerOf(db: Queryable, { apiKeyId }: LimitPolicy): Promise<{ account_id?: string }> {
  const owner = apiKeyId === undefined ? undefined : await findOwnerOfApiKey(db, apiKeyId);
  return owner === undefined ? {} : { account_id: toPublicId('acct', owner) };
}

function addTargetOptions(command: Command): Command {
  return command
    .option('--account <account>', 'acct_…, or its e-mail address', readAccount)
    .option('--cohort <cohort>', 'each account of this cohort', readCohort)
    .option('--key <key>', 'key_…', readApiKeyId)
    .option('--model <model>', 'only requests to this model; alone, of each account', readLine);
}

function targetOf({ account, cohort, key, model }: GivenTarget): LimitTarget {
  return { accountId: account, cohortName: cohort, apiKeyId: key, modelId: model };
}

function toTarget(given: GivenTarget, command: Command): LimitTarget {
  const owners = [given.account, given.cohort, given.key].filter((owner) => owner !== undefined);
  if (owners.length > 1) command.error('error: give one of --account, --cohort and --key');
  if (owners.length === 0 && given.model === undefined)
    command.error('error: give --account, --cohort, --key or --model');
  return targetOf(given);
}

function toMost(given: GivenLimit, command: Command): Pick<LimitPolicy, 'measure' | 'per' | 'most'> {
  const [measure, ...others] = LIMIT_MEASURES.filter((name) => given[name] !== undefined);
  const most = measure && given[measure];
  if (measure === undefined || most === undefined || others.length > 0)
    return command.error('error: give one of --requests, --tokens, --concurrency and --spend');
  if ((measure === 'concurrency') === (given.per !== undefined))
    command.error('error: give --per with --requests, --tokens and --spend, and not with --concurrency');
  return { measure, per: given.per === undefined ? undefined : WINDOWS[given.per], most };
}

/** A limit of something that does not exist would limit nothing in silence. */
async function requireTarget(
  db: Queryable,
  { accountId, cohortName, apiKeyId, modelId }: LimitTarget,
): Promise<void> {
  if (accountId !== undefined && !(await exists(db, 'account', 'id', accountId)))
    throw new CommandFailure(`There is no account ${toPublicId('acct', accountId)}.`);
  if (cohortName !== undefined && !(await exists(db, 'cohort', 'name', cohortName)))
    throw new CommandFailure(`There is no cohort "${cohortName}".`);
  if (apiKeyId !== undefined && (await findOwnerOfApiKey(db, apiKeyId)) === undefined)
    throw new CommandFailure(`There is no API key ${toPublicId('key', apiKeyId)}.`);
  if (modelId !== undefined && !(await exists(db, 'model', 'id', modelId)))
    throw new CommandFailure(`There is no model "${modelId}" in the catalogue.`);
}

async function exists(
  db: Queryable,
  table: 'account' | 'cohort' | 'model',
  column: 'id' | 'name',
  value: string,
): Promise<boolean> {
  const { rows } = await db.query(`SELECT FROM ${table} WHERE ${column} = $1`, [value]);
  return rows.length > 0;
}

/** Dollars as a decimal text, everything else as a number. */
function toAmount(measure: LimitMeasure, most: bigint): string | number {
  return measure === 'spend' ? toDecimalUsd(toNanoUsd(most)) : Number(most);
}

function toRecord({ id, measure, per, most, accountId, cohortName, apiKeyId, modelId }: LimitPolicy) {
  return {
    limit_id: toPublicId('lim', id),
    measure,
    per: per === undefined ? null : wordOf(per),
    limit: toAmount(measure, most),
    account_id: accountId === undefined ? null : toPublicId('acct', accountId),
    cohort: cohortName ?? null,
    key_public_id: apiKeyId === undefined ? null : toPublicId('key', apiKeyId),
    model: modelId ?? null,
  };
}

type LimitRecord = ReturnType<typeof toRecord>;

function toReport(policy: LimitPolicy): Report & { json: LimitRecord } {
  const json = toRecord(policy);
  return { json, text: `${json.limit_id}: ${targetText(json)}: ${limitText(json)}.` };
}

function limitText({ measure, per, limit }: LimitRecord): string {
  const what = { requests: 'requests', tokens: 'tokens', concurrency: 'requests at once', spend: 'dollars' };
  return `at most ${String(limit)} ${what[measure]}${per === null ? '' : ` per ${per}`}`;
}

function targetText({ account_id, cohort, key_public_id, model }: LimitRecord): string {
  const owner =
    account_id ??
    key_public_id ??
    (cohort === null ? 'each account' : `each account of the cohort ${cohort}`);
  return model === null ? owner : `${owner} with the model ${model}`;
}

const COLUMNS = [{ name: 'limit' }, { name: 'of' }, { name: 'is' }];

function toList(policies: readonly LimitPolicy[]): Report {
  const data = policies.map(toRecord);
  const rows = data.map((record) => [record.limit_id, targetText(record), limitText(record)]);
  return {
    json: { object: 'list', data },
    text: rows.length === 0 ? 'No limit is set.' : toTable(COLUMNS, rows),
  };
}
