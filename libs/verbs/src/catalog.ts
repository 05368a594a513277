import {
  diffCatalog,
  keepCatalogFile,
  KIND_FIELDS,
  listPrices,
  parseCatalog,
  priceTexts,
  priceWarnings,
  readCatalogWithCosts,
  writeCatalog,
  type Catalog,
  type CatalogChange,
  type CatalogSnapshot,
  type PriceEntry,
} from '@farebox/catalog';
import { listCohorts, openAccounts } from '@farebox/accounts';
import type { Environment } from '@farebox/config';
import { toUnixSeconds } from '@farebox/api';
import type { Pool } from 'pg';
import type { Command } from 'commander';
import { readLimit, readVersion } from './arguments';
import type { Change } from './audit-log';
import { requireCatalogFile } from './catalog-versions';
import { readCatalogFile, readOwnedBy } from './environment';
import { NotFoundFailure } from './failures';
import type { VerbRunner, Verbs } from './verb';
import type { Report } from './report';
import { countOf, DEFAULT_LIMIT, toTable } from './lists';

const DEFAULT_FILE = 'default: FAREBOX_CATALOG, or config/catalog.yaml';

interface GivenVersion {
  version?: number | undefined;
}

function addVersionOption(command: Command): Command {
  return command.option('--version <number>', 'the file of an applied version instead', readVersion);
}

export const catalogCommands: Verbs = {
  'catalog diff': {
    help: 'show what applying a file would change, without changing anything',
    takes: (command) => addVersionOption(command.argument('[file]', DEFAULT_FILE)),
    examples: [
      ...['admin catalog diff', 'admin catalog diff /etc/farebox/catalog.yaml --json'],
      'admin catalog diff --version 7',
    ],
    run:
      (runner, command: Command) =>
      async (given: string | undefined, { version }: GivenVersion) => {
        const { file, catalog: wanted } = await openCatalogFile({ given, version }, runner, command);
        await runner.read(async (pool) => {
          const changes = diffCatalog(await readCatalogWithCosts(pool), wanted);
          const text =
            changes.length === 0
              ? `${file} is already in force.`
              : `${describeChanges(changes)}\n${countChanges(changes)}: admin catalog apply ${version === undefined ? file : `--version ${String(version)}`}`;
          return { json: { changes }, text };
        });
      },
  },
  'catalog apply': {
    help:
      'apply a file as the catalogue, and show the changes; changed prices become new price versions. ' +
      'Running gateways follow within a second. It asks first if a price moves by more than a quarter or ' +
      'is below the cost of a route, or if a model is offered to a cohort that does not exist.',
    takes: (command) =>
      addVersionOption(command.argument('[file]', DEFAULT_FILE)).option('--yes', 'apply without asking'),
    examples: ['admin catalog diff', 'admin catalog apply', 'admin catalog apply --version 7'],
    run:
      (runner, command: Command) =>
      async (given: string | undefined, { yes, version }: GivenVersion & { yes?: boolean }) => {
        const opened = await openCatalogFile({ given, version }, runner, command);
        const { file, catalog: wanted } = opened;
        await runner.lookThenChange(
          async (pool) => {
            if (yes) return;
            const warnings = await warningsOf(pool, await readCatalogWithCosts(pool), wanted);
            if (warnings.length === 0) return;
            runner.warn(warnings.join('\n'));
            await runner.confirm(
              `Apply ${file} all the same: customers pay these prices from now on.`,
              false,
            );
          },
          async (made) => {
            const report = await apply(made, opened);
            return runner.hasUpstreamSecrets
              ? withMissingSecrets(report, wanted, runner.environment)
              : report;
          },
        );
      },
  },
  'catalog prices': {
    help: 'show the current and former prices of models, in dollars per million tokens',
    takes: (command) =>
      command
        .argument('[model]', 'of this model only')
        .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT),
    examples: ['admin catalog prices', 'admin catalog prices llama-70b --json'],
    run:
      ({ read }) =>
      (model: string | undefined, { limit }: { limit: number }) =>
        read((pool) => show(pool, model, limit)),
  },
};

/** Names the variables of upstreams' secrets that are not set here: the gateways may have another environment. */
function withMissingSecrets(report: Report, { upstreams }: Catalog, environment: Environment): Report {
  const names = new Set(upstreams.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []));
  const missing = [...names].filter((name) => !environment[name]);
  if (missing.length === 0) return report;
  const notes = missing.map(
    (name) => `${name} is not set here. A gateway without it does not ask the upstream.`,
  );
  return {
    ...report,
    json: { ...report.json, secrets_not_set: missing },
    text: [report.text, ...notes].join('\n'),
  };
}

/** Reasons to ask before the catalogue is applied, one sentence each. */
async function warningsOf(pool: Pool, current: CatalogSnapshot, wanted: Catalog): Promise<string[]> {
  const known = new Set((await listCohorts(openAccounts(pool))).map(({ name }) => name));
  const unknown = wanted.models.flatMap(({ id, visibility }) =>
    visibility.to === 'cohorts'
      ? visibility.cohorts
          .filter((name) => !known.has(name))
          .map((name) => `${id}: there is no cohort ${name}.`)
      : [],
  );
  return [...priceWarnings(current, wanted), ...unknown];
}

/** Entries named in the audit log; the report has the whole difference. */
const MOST_NAMED = 50;

async function apply(
  { client, record, operator }: Change,
  { file, text, catalog }: OpenedCatalog,
): Promise<Report> {
  const before = await readCatalogWithCosts(client);
  const changes = diffCatalog(before, catalog);
  const counts = { models: catalog.models.length, upstreams: catalog.upstreams.length };
  if (changes.length === 0 && before.version > 0) {
    const json = { ...counts, new_prices: 0, version: before.version };
    return { json, text: `${file} is already in force.`, unchanged: true };
  }
  const { newPrices, version } = await writeCatalog(client, catalog);
  await keepCatalogFile(client, { version, appliedBy: operator, file: text });
  await record(String(version), {
    ...{ ...counts, new_prices: newPrices, file, changed_entries: changes.length },
    changes: changes.slice(0, MOST_NAMED).map(nameChange).join(', '),
  });
  const all = [
    countOf(counts.models, 'model'),
    countOf(counts.upstreams, 'upstream'),
    countOf(newPrices, 'new price'),
  ];
  const applied = `Applied ${file} as version ${String(version)}: ${all.join(', ')}.`;
  return {
    json: { ...counts, new_prices: newPrices, version },
    text: changes.length === 0 ? applied : `${describeChanges(changes)}\n${applied}`,
  };
}

/** For the audit log: with the former and the new prices of a model that was there before. */
function nameChange({ change, id, fields }: CatalogChange): string {
  const prices = fields.filter(({ field }) => change === 'changed' && /_price$|^price_steps$/.test(field));
  const moves = prices.map(
    ({ field, before, after }) => `${field} ${before ?? 'none'} -> ${after ?? 'none'}`,
  );
  return `${change} ${id}${moves.length === 0 ? '' : ` (${moves.join('; ')})`}`;
}

async function show(pool: Pool, modelId: string | undefined, limit: number): Promise<Report> {
  const prices = await listPrices(pool, { modelId, limit: limit + 1 });
  if (modelId !== undefined && prices.length === 0) {
    throw new NotFoundFailure(`There is no model ${modelId}.`);
  }
  const data = prices.slice(0, limit).map(toReport);
  const json = { object: 'list', data, has_more: prices.length > limit };
  if (data.length === 0) return { json, text: 'There are no prices: admin catalog apply' };
  const hasOthers = data.some((one) => describeOthers(one) !== '');
  const table = toTable(
    [
      { name: 'model' },
      ...[{ name: 'input', align: 'right' } as const, { name: 'output', align: 'right' } as const],
      ...[{ name: 'from' }, { name: 'until' }, { name: 'version', align: 'right' } as const, { name: 'by' }],
      ...(hasOthers ? [{ name: 'others' }] : []),
    ],
    data.map((one) => [
      ...[one.model, one.input_price, one.output_price, toIso(one.starts_at)],
      one.ends_at === null ? 'now' : toIso(one.ends_at),
      ...[String(one.version ?? ''), one.applied_by ?? ''],
      ...(hasOthers ? [describeOthers(one)] : []),
    ]),
  );
  return { json, text: json.has_more ? `${table}\nMore: give a higher --limit, or a model.` : table };
}

const OTHERS = [...KIND_FIELDS, ...(['image_price', 'request_price', 'price_steps'] as const)];

/** The optional prices of a model. */
function describeOthers(report: ReturnType<typeof toReport>): string {
  return OTHERS.flatMap((name) => (report[name] === null ? [] : [`${name} ${report[name]}`])).join(', ');
}

function toReport(price: PriceEntry) {
  return {
    model: price.modelId,
    ...priceTexts(price),
    currency: 'usd',
    starts_at: toUnixSeconds(price.startsAt),
    ends_at: price.endsAt === null ? null : toUnixSeconds(price.endsAt),
    version: price.version,
    applied_by: price.appliedBy,
  };
}

function toIso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

const SIGNS: Record<CatalogChange['change'], string> = {
  added: '+',
  changed: '~',
  disabled: '-',
  removed: '-',
};

/** A line for each changed entry, followed by one for each of its fields. */
function describeChanges(changes: readonly CatalogChange[]): string {
  return changes
    .flatMap(({ kind, id, change, fields }) => [
      `${SIGNS[change]} ${kind} ${id} ${change}`,
      ...fields.map(({ field, before, after }) =>
        change === 'added'
          ? `    ${field}: ${after ?? 'none'}`
          : `    ${field}: ${before ?? 'none'} -> ${after ?? 'none'}`,
      ),
    ])
    .join('\n');
}

/** The number of changed entries, for a person. */
function countChanges(changes: readonly CatalogChange[]): string {
  return changes.length === 1 ? '1 entry changes' : `${String(changes.length)} entries change`;
}

interface OpenedCatalog {
  /** For messages. */
  file: string;
  text: string;
  catalog: Catalog;
}

/** The given catalogue file, that of an applied version, or that of the environment. Throws `CommandFailure` and `CatalogError`. */
async function openCatalogFile(
  { given, version }: GivenVersion & { given: string | undefined },
  { environment, openFile, find }: VerbRunner,
  command: Command,
): Promise<OpenedCatalog> {
  if (given !== undefined && version !== undefined) command.error('error: give a file, or --version');
  const { name, text } =
    version === undefined
      ? await openFile(given, () => readCatalogFile(environment))
      : { name: `version ${String(version)}`, text: await find((pool) => requireCatalogFile(pool, version)) };
  return { file: name, text, catalog: parseCatalog(text, environment, readOwnedBy(environment)) };
}
