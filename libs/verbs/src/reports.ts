import { findEmails, findKeyOwners, type Accounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toUnixSeconds } from '@farebox/api';
import {
  readRefusals,
  readRevenue,
  readRouteUse,
  type RefusalGroup,
  type RevenueGroup,
} from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import { Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { readLimit, readLine, readTime, startOfToday } from './arguments';
import { addCsvOption, asCsv, type GivenCsv } from './csv-report';
import { CommandFailure } from './failures';
import type { Verbs } from './verb';
import { toTable, type Column } from './lists';
import type { Report } from './report';

interface GivenPeriod extends GivenCsv {
  since: Date;
  until?: Date;
  limit: number;
}

const REVENUE_GROUPS: readonly RevenueGroup[] = ['day', 'hour', 'model', 'account', 'key'];
const REFUSAL_GROUPS: readonly RefusalGroup[] = ['code', 'account', 'key', 'model', 'hour'];
const DEFAULT_LIMIT = 100;
const MOST_CUSTOMERS = 10;

function addPeriod(command: Command, limit = DEFAULT_LIMIT): Command {
  return addCsvOption(command)
    .option('--since <time>', 'start, like today, 7d, 2026-11 or 2026-11-01', readTime, startOfToday())
    .option('--until <time>', 'end, exclusive (default: now)', readTime)
    .option('--limit <count>', 'at most this many lines, up to 1000', readLimit, limit);
}

export const reportCommands: Verbs = {
  'report revenue': {
    help: 'revenue and tokens of the requests charged in a period, by default of today; refunds are subtracted',
    takes: (command) =>
      addPeriod(command).addOption(
        new Option('--group-by <field>', 'grouping').choices(REVENUE_GROUPS).default('day'),
      ),
    examples: ['admin report revenue', 'admin report revenue --since 2026-11 --group-by model --json'],
    run:
      ({ read }) =>
      ({ groupBy: by, ...given }: GivenPeriod & { groupBy: RevenueGroup }) =>
        read((pool, accounts) => revenue(pool, accounts, by, given)),
  },
  'report customers': {
    help: 'the customers who paid most in a period, by default today',
    takes: (command) => addPeriod(command, MOST_CUSTOMERS),
    examples: ['admin report customers', 'admin report customers --since 7d --limit 20'],
    run:
      ({ read }) =>
      (given: GivenPeriod) =>
        read((pool, accounts) => revenue(pool, accounts, 'account', given)),
  },
  'report refusals': {
    help: 'requests that were refused or failed in a period, by default today: who met which limit or error',
    takes: (command) =>
      addPeriod(command)
        .addOption(new Option('--group-by <field>', 'grouping').choices(REFUSAL_GROUPS).default('code'))
        .option('--code <code>', 'only this error code, like rate_limit_error', readLine),
    examples: ['admin report refusals', 'admin report refusals --code rate_limit_error --group-by account'],
    run:
      ({ read }) =>
      ({ groupBy: by, code, ...given }: GivenPeriod & { groupBy: RefusalGroup; code?: string }) =>
        read((pool, accounts) => refusals(pool, accounts, { by, code }, given)),
  },
  'report upstreams': {
    help: 'requests, failures and times of each route in a period, by default today; median and 95th percentile',
    takes: (command) => addPeriod(command),
    examples: ['admin report upstreams', 'admin report upstreams --since 2026-11-25 --json'],
    run:
      ({ read }) =>
      (given: GivenPeriod) =>
        read((pool) => upstreams(pool, given)),
  },
};

function periodOf({ since, until = new Date(), limit, csv }: GivenPeriod) {
  if (since >= until) throw new CommandFailure('--since must be before --until.');
  return { from: since, to: until, limit, csv };
}

const numbers = (...names: string[]): Column[] => names.map((name) => ({ name, align: 'right' }));

/** A line of a report: how it is named to a script and to a person, and its figures in the order of the columns. */
interface Line {
  labels: readonly string[];
  json: Record<string, string | number | null>;
  figures: readonly (string | number | null)[];
}

async function revenue(
  pool: Pool,
  accounts: Accounts,
  by: RevenueGroup,
  given: GivenPeriod,
): Promise<Report> {
  const period = periodOf(given);
  const rows = await readRevenue(pool, { ...period, by });
  const name = await namesOf(accounts, by, rows);
  const lines = rows.map(({ group, requests, promptTokens, completionTokens, revenueNano }): Line => {
    const paid = toDecimalUsd(revenueNano);
    const { labels, json } = name(group);
    return {
      labels,
      json: {
        ...json,
        ...{ requests, prompt_tokens: promptTokens, completion_tokens: completionTokens, revenue: paid },
      },
      figures: [requests, promptTokens, completionTokens, paid],
    };
  });
  const columns = numbers('requests', 'prompt tokens', 'completion tokens', 'revenue');
  return toReport(period, lines, [...labelsOf(by), ...columns], 'Nothing was charged in this period.');
}

async function refusals(
  pool: Pool,
  accounts: Accounts,
  { by, code }: { by: RefusalGroup; code: string | undefined },
  given: GivenPeriod,
): Promise<Report> {
  const period = periodOf(given);
  const rows = await readRefusals(pool, { ...period, by, code });
  const name = await namesOf(accounts, by, rows);
  const lines = rows.map(({ group, refused, failed, accounts: count, lastAt }): Line => {
    const { labels, json } = name(group);
    return {
      labels,
      json: { ...json, refused, failed, accounts: count, last_at: toUnixSeconds(lastAt) },
      figures: [refused, failed, count, lastAt.toISOString()],
    };
  });
  const columns = [...labelsOf(by), ...numbers('refused', 'failed', 'accounts'), { name: 'last' }];
  return toReport(period, lines, columns, 'No request was refused or failed in this period.');
}

async function upstreams(pool: Pool, given: GivenPeriod): Promise<Report> {
  const period = periodOf(given);
  const lines = (await readRouteUse(pool, period)).map(({ upstreamId, upstreamModel, ...use }): Line => {
    const figures = {
      ...{
        requests: use.requests,
        broke_off: use.brokeOff,
        timed_out: use.timedOut,
        client_gone: use.clientGone,
      },
      ...{ median_ms: use.medianMs, p95_ms: use.p95Ms },
      ...{ median_first_token_ms: use.medianFirstTokenMs, p95_first_token_ms: use.p95FirstTokenMs },
    };
    return {
      labels: [upstreamId, upstreamModel],
      json: { upstream: upstreamId, upstream_model: upstreamModel, ...figures },
      figures: Object.values(figures),
    };
  });
  const columns = [
    ...[{ name: 'upstream' }, { name: 'model' }],
    ...numbers('requests', 'broke off', 'timed out', 'client left'),
    ...numbers('ms', 'p95 ms', 'first token ms', 'p95 first token ms'),
  ];
  return toReport(period, lines, columns, 'No request was charged in this period.');
}

function toReport(
  { from, to, csv }: { from: Date; to: Date; csv: true | undefined },
  lines: readonly Line[],
  columns: readonly Column[],
  none: string,
): Report {
  const data = lines.map(({ json }) => json);
  const rows = lines.map(({ labels, figures }) => [
    ...labels,
    ...figures.map((figure) => String(figure ?? '')),
  ]);
  const report = {
    json: { since: toUnixSeconds(from), until: toUnixSeconds(to), currency: 'usd', data },
    text: data.length === 0 ? none : toTable(columns, rows),
  };
  return asCsv(report, { csv }, Object.keys(data[0] ?? {}), data);
}

type Group = RevenueGroup | RefusalGroup;

function labelsOf(by: Group): Column[] {
  if (by === 'account') return [{ name: 'account' }, { name: 'e-mail' }];
  return by === 'key' ? [{ name: 'key' }, { name: 'name' }, { name: 'e-mail' }] : [{ name: by }];
}

/** How the groups of a report are named: accounts and keys with the customer's e-mail address. */
async function namesOf(
  accounts: Accounts,
  by: Group,
  rows: readonly { group: string | null }[],
): Promise<(group: string | null) => Pick<Line, 'labels' | 'json'>> {
  const ids = rows.flatMap(({ group }) => group ?? []);
  if (by === 'account') {
    const emails = await findEmails(accounts, ids);
    return (group) => {
      const [id, email] = [toPublicId('acct', group ?? ''), emails.get(group ?? '') ?? ''];
      return { labels: [id, email], json: { account_id: id, email } };
    };
  }
  if (by === 'key') {
    const keys = await findKeyOwners(accounts, ids);
    return (group) => {
      const [id, { name, email }] = [
        toPublicId('key', group ?? ''),
        keys.get(group ?? '') ?? { name: '', email: '' },
      ];
      return { labels: [id, name, email], json: { key_public_id: id, key_name: name, email } };
    };
  }
  return (group) => ({ labels: [group ?? 'not known'], json: { [by]: group } });
}
