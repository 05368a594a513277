import { toUnixSeconds } from '@farebox/api';
import {
  applyCatalogFile,
  diffCatalog,
  findReplacement,
  KIND_FIELDS,
  listPrices,
  priceTexts,
  readCatalogWithCosts,
  type Catalog,
  type PriceEntry,
} from '@farebox/catalog';
import type { Environment } from '@farebox/config';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readLimit, readTime } from './arguments';
import type { Change } from './audit-log';
import { checkApplyTime, schedule } from './catalog-schedule';
import { NotFoundFailure } from './failures';
import {
  addScheduledOption,
  addVersionOption,
  countChanges,
  DEFAULT_FILE,
  describeChanges,
  openCatalogFile,
  warningsOf,
  type GivenVersion,
  type OpenedCatalog,
} from './given-catalog';
import type { Report } from './report';
import { countOf, DEFAULT_LIMIT, toTable, toIso } from './lists';
import type { Verbs } from './verb';

export const catalogCommands: Verbs = {
  'catalog diff': {
    help: 'show what applying a file would change, and what to look at first, without changing anything',
    takes: (command) => addScheduledOption(addVersionOption(command.argument('[file]', DEFAULT_FILE))),
    examples: [
      ...['admin catalog diff', 'admin catalog diff /etc/farebox/catalog.yaml --json'],
      ...['admin catalog diff --version 7', 'admin catalog diff --scheduled'],
    ],
    run: (runner, command: Command) => async (given: string | undefined, which: GivenVersion) => {
      const { file, catalog: wanted } = await openCatalogFile({ given, ...which }, runner, command);
      await runner.read(async (pool) => {
        const current = await readCatalogWithCosts(pool);
        const changes = diffCatalog(current, wanted);
        const warnings = await warningsOf(pool, current, wanted);
        const text =
          changes.length === 0
            ? `${file} is already in force.`
            : [
                describeChanges(changes),
                ...warnings,
                `${countChanges(changes)}: ${applyCommand(file, which)}`,
              ].join('\n');
        return { json: { changes, warnings }, text };
      });
    },
  },
  'catalog apply': {
    help:
      'apply a file as the catalogue, and show the changes; changed prices become new price versions. ' +
      'Running gateways follow within a second. It asks first if a price moves by more than a quarter or ' +
      'is below the cost of a route, or if a model is offered to a cohort that does not exist. ' +
      'With a time, the worker applies it then, if no other version was applied meanwhile.',
    takes: (command) =>
      addVersionOption(command.argument('[file]', DEFAULT_FILE))
        .option('--at <time>', 'apply it at this time, like 2026-12-01T08:00:00Z', readTime)
        .option('--yes', 'apply without asking')
        .option(
          '--keep-newer',
          'leave a catalogue in force that was applied after this very file, as npm start does',
        ),
    examples: [
      ...['admin catalog diff', 'admin catalog apply', 'admin catalog apply --version 7'],
      'admin catalog apply /etc/farebox/catalog.yaml --at 2026-12-01T08:00:00Z',
    ],
    run:
      (runner, command: Command) =>
      async (
        given: string | undefined,
        { yes, keepNewer, at, version }: GivenVersion & { yes?: boolean; keepNewer?: boolean; at?: Date },
      ) => {
        if (keepNewer && at) command.error('error: give --at or --keep-newer');
        if (at) checkApplyTime(at);
        const opened = await openCatalogFile({ given, version }, runner, command);
        const { file, catalog: wanted } = opened;
        await runner.lookThenChange(
          async (pool) => {
            const current = await readCatalogWithCosts(pool);
            const warnings = yes ? [] : await warningsOf(pool, current, wanted);
            if (warnings.length === 0) return current;
            runner.warn(warnings.join('\n'));
            const [when, from] = at ? [` at ${toText(at)}`, 'then'] : ['', 'now'];
            await runner.confirm(
              `Apply ${file}${when} all the same: customers pay these prices from ${from} on.`,
              false,
            );
            return current;
          },
          async (made, current) => {
            if (at) return schedule(made, opened, { at, current });
            const kept = keepNewer && (await findReplacement(made.client, opened.text));
            if (kept) return keep(opened, kept);
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

function applyCommand(file: string, { version, scheduled }: GivenVersion): string {
  if (scheduled) return 'admin catalog scheduled';
  return `admin catalog apply ${version === undefined ? file : `--version ${String(version)}`}`;
}

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

function keep(
  { file }: OpenedCatalog,
  { version, appliedBy }: { version: number; appliedBy: string },
): Report {
  return {
    json: { version, kept: appliedBy },
    text:
      `${file} was applied before, and ${appliedBy} has applied version ${String(version)} since, which stays. ` +
      'To go back, apply the file without keeping newer ones.',
    unchanged: true,
  };
}

async function apply(
  { client, record, operator }: Change,
  { file, text, catalog }: OpenedCatalog,
): Promise<Report> {
  const applied = await applyCatalogFile(client, { file, text, catalog, appliedBy: operator });
  const { version, counts, changes, details } = applied;
  const json = { ...counts, version };
  if (!applied.isNew) return { json, text: `${file} is already in force.`, unchanged: true };
  await record(String(version), details);
  const all = [
    countOf(counts.models, 'model'),
    countOf(counts.upstreams, 'upstream'),
    countOf(counts.new_prices, 'new price'),
  ];
  const sentence = `Applied ${file} as version ${String(version)}: ${all.join(', ')}.`;
  return { json, text: changes.length === 0 ? sentence : `${describeChanges(changes)}\n${sentence}` };
}

async function show(pool: Pool, modelId: string | undefined, limit: number): Promise<Report> {
  const prices = await listPrices(pool, { modelId, limit: limit + 1 });
  if (modelId !== undefined && prices.length === 0) {
    throw new NotFoundFailure(`There is no model ${modelId}.`);
  }
  const data = prices.slice(0, limit).map(toReport);
  const json = { object: 'list', data, has_more: prices.length > limit };
  if (data.length === 0) return { json, text: 'There are no prices: no catalogue has been applied.' };
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

const toText = (time: Date): string => toIso(toUnixSeconds(time));
