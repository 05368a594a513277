import { readCatalog, type Model, type PromptOverhead, type Upstream } from '@farebox/catalog';
import type { Environment } from '@farebox/config';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';
import { measureOverhead, type MeasuredOverhead } from '../use-cases/measure-overhead';
import { toTable } from '../text-table';

export function addCatalogMeasureCommand(catalog: Command, { read, surroundings }: Program): void {
  catalog
    .command('measure')
    .description(
      "ask a model's upstreams what its chat template adds to a prompt: three tiny requests to each",
    )
    .argument('<model>', 'of the catalogue that is in force')
    .addHelpText('after', '\nExample:\n  admin catalog measure llama-70b')
    .action((modelId: string) => read((pool) => measure(pool, modelId, surroundings.environment)));
}

async function measure(pool: Pool, modelId: string, environment: Environment): Promise<Report> {
  const { models, upstreams } = await readCatalog(pool);
  const model = models.get(modelId);
  if (!model) throw new CommandFailure(`There is no model ${modelId}.`);
  const routes = await Promise.all(
    model.routes.map(async ({ upstreamId, upstreamModel }) => ({
      upstream: upstreamId,
      ...(await measureAt(upstreams.get(upstreamId), upstreamModel, environment)),
    })),
  );
  return toReport(model, routes);
}

async function measureAt(
  upstream: Upstream | undefined,
  upstreamModel: string,
  environment: Environment,
): Promise<MeasuredOverhead> {
  if (!upstream) throw new CommandFailure('A route has no upstream: admin catalog apply');
  const { apiKeyEnv, id } = upstream;
  const secret = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv];
  try {
    return await measureOverhead(upstream, upstreamModel, secret);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it failed';
    throw new CommandFailure(`${id} could not be measured: ${reason}`);
  }
}

function toReport(model: Model, routes: (MeasuredOverhead & { upstream: string })[]): Report {
  const most = (of: keyof PromptOverhead): number => Math.max(0, ...routes.map((route) => route[of]));
  const measured = { prompt: most('prompt'), message: most('message'), tools: most('tools') };
  const { promptOverhead: configured } = model;
  const isCovered =
    measured.prompt <= configured.prompt &&
    measured.message <= configured.message &&
    measured.tools <= configured.tools;
  const rows = [...routes, { upstream: 'in the catalogue', ...configured }];
  const table = toTable(
    [
      { name: 'upstream' },
      ...(['prompt', 'message', 'tools'] as const).map((name) => ({ name, align: 'right' as const })),
    ],
    rows.map(({ upstream, prompt, message, tools }) => [
      ...[upstream, String(prompt), String(message), String(tools)],
    ]),
  );
  const wanted = `prompt_overhead: { prompt: ${String(measured.prompt)}, message: ${String(measured.message)}, tools: ${String(measured.tools)} }`;
  const verdict = isCovered
    ? 'The catalogue covers what was measured.'
    : `Holds are too small. At least this belongs into the catalogue:\n  ${wanted}`;
  return {
    json: {
      object: 'prompt_overhead',
      model: model.id,
      routes,
      measured,
      configured,
      covered: isCovered,
    },
    text: `${table}\n${verdict}`,
    exitCode: isCovered ? 0 : 1,
  };
}
