import { readCatalog, type Model, type PromptOverhead, type Upstream } from '@farebox/catalog';
import type { Environment } from '@farebox/config';
import type { Pool } from 'pg';
import { CommandFailure, type CommandRows, type Report } from './command-run';
import { toTable } from './lists';

export const overheadCommands: CommandRows = {
  'catalog measure': {
    help: "ask a model's upstreams what its chat template adds to a prompt: three tiny requests to each",
    takes: (command) => command.argument('<model>', 'of the catalogue that is in force'),
    examples: ['admin catalog measure llama-70b'],
    run:
      ({ read, surroundings }) =>
      (modelId: string) =>
        read((pool) => measure(pool, modelId, surroundings.environment)),
  },
};

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

/** The most tokens that were seen around texts of one token each; never less than the template's own. */
type MeasuredOverhead = PromptOverhead;

const ANSWER_TIMEOUT_MS = 60_000;

const user = { role: 'user', content: 'hi' };
const assistant = { role: 'assistant', content: 'hi' };
const TOOL = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} } },
};

/**
 * Sends three requests of one output token each: one message, three messages, and one with a tool. What they differ in is
 * what the template adds, the few tokens of the texts included, so that the result errs on the side of too much. Throws
 * an error whose message an operator may read.
 */
export async function measureOverhead(
  upstream: Upstream,
  upstreamModel: string,
  secret: string | undefined,
): Promise<MeasuredOverhead> {
  const ask = (more: object): Promise<number> => promptTokensOf(upstream, upstreamModel, secret, more);
  const one = await ask({ messages: [user] });
  const three = await ask({ messages: [user, assistant, user] });
  const withTool = await ask({ messages: [user], tools: [TOOL] });
  const message = Math.max(0, Math.ceil((three - one) / 2));
  return { prompt: one, message, tools: Math.max(0, withTool - one) };
}

async function promptTokensOf(
  { baseUrl, maxTokensField }: Upstream,
  upstreamModel: string,
  secret: string | undefined,
  more: object,
): Promise<number> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    },
    body: JSON.stringify({ model: upstreamModel, [maxTokensField]: 1, ...more }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${String(response.status)}.`);
  }
  const { usage } = (await response.json()) as { usage?: { prompt_tokens?: unknown } };
  const tokens = usage?.prompt_tokens;
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens))
    throw new Error('it did not report the tokens of the prompt.');
  return tokens;
}
