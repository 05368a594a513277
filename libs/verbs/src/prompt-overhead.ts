import {
  readCatalog,
  type Model,
  type ModelKind,
  type PromptOverhead,
  type Upstream,
} from '@farebox/catalog';
import type { Environment } from '@farebox/config';
import type { Pool } from 'pg';
import { CommandFailure, NotFoundFailure } from './failures';
import type { Verbs } from './verb';
import type { Report } from './report';
import { toTable } from './lists';

export const overheadCommands: Verbs = {
  'catalog measure': {
    help: "measure the tokens that a model's upstreams add to the texts of a prompt: at most three tiny requests to each",
    takes: (command) => command.argument('<model>', 'a model of the catalogue in force'),
    examples: ['admin catalog measure llama-70b'],
    run:
      ({ read, environment }) =>
      (modelId: string) =>
        read((pool) => measure(pool, modelId, environment)),
  },
};

async function measure(pool: Pool, modelId: string, environment: Environment): Promise<Report> {
  const { models, upstreams } = await readCatalog(pool);
  const model = models.get(modelId);
  if (!model) throw new NotFoundFailure(`There is no model ${modelId}.`);
  const routes = await Promise.all(
    model.routes.map(async ({ upstreamId, upstreamModel }) => ({
      upstream: upstreamId,
      ...(await measureAt(upstreams.get(upstreamId), upstreamModel, environment, model.kind)),
    })),
  );
  return toReport(model, routes);
}

async function measureAt(
  upstream: Upstream | undefined,
  upstreamModel: string,
  environment: Environment,
  kind: ModelKind,
): Promise<MeasuredOverhead> {
  if (!upstream) throw new CommandFailure('A route has no upstream: admin catalog apply');
  const { apiKeyEnv, id } = upstream;
  const secret = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv];
  try {
    return await measureOverhead(upstream, upstreamModel, secret, kind);
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
  // Inputs of embeddings are independent: there is nothing else to add up.
  const names =
    model.kind === 'embeddings' ? (['message'] as const) : (['prompt', 'message', 'tools'] as const);
  const rows = [...routes, { upstream: 'in the catalogue', ...configured }];
  const table = toTable(
    [{ name: 'upstream' }, ...names.map((name) => ({ name, align: 'right' as const }))],
    rows.map((row) => [row.upstream, ...names.map((name) => String(row[name]))]),
  );
  const wanted = `prompt_overhead: { ${names.map((name) => `${name}: ${String(measured[name])}`).join(', ')} }`;
  const verdict = isCovered
    ? 'The catalogue covers the measured overhead.'
    : `Holds are too small. Put at least this into the catalogue:\n  ${wanted}`;
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

/** The most tokens seen around texts of one token each; never less than the template's own. */
type MeasuredOverhead = PromptOverhead;

const ANSWER_TIMEOUT_MS = 60_000;

const user = { role: 'user', content: 'hi' };
const assistant = { role: 'assistant', content: 'hi' };
const PARAMETERS = { type: 'object', properties: {} };
const TOOL = { type: 'function', function: { name: 'f', parameters: PARAMETERS } };
const TOOL_OF_MESSAGES = { name: 'f', input_schema: PARAMETERS };
const MESSAGES_VERSION = '2023-06-01';

/**
 * Sends three requests of one output token each: one message, three messages, and one with a tool. Their
 * differences are the overhead of the template, including the few tokens of the texts, so the result errs on
 * the high side. An embeddings model gets one input. Throws an error whose message may be shown to an
 * operator.
 */
export async function measureOverhead(
  upstream: Upstream,
  upstreamModel: string,
  secret: string | undefined,
  kind: ModelKind,
): Promise<MeasuredOverhead> {
  const ask = (endpoint: string, body: object): Promise<number> =>
    promptTokensOf(upstream, endpoint, { model: upstreamModel, ...body }, secret);
  if (kind === 'embeddings')
    return { prompt: 0, message: await ask('embeddings', { input: 'hi' }), tools: 0 };
  const { endpoint, limit, conversation, tool } = askedBy(upstream);
  const say = (messages: readonly object[], more: object = {}): Promise<number> =>
    ask(endpoint, { ...limit, [conversation]: messages, ...more });
  const one = await say([user]);
  const three = await say([user, assistant, user]);
  const withTool = await say([user], { tools: [tool] });
  const message = Math.max(0, Math.ceil((three - one) / 2));
  return { prompt: one, message, tools: Math.max(0, withTool - one) };
}

interface AskedBy {
  endpoint: string;
  limit: object;
  conversation: 'messages' | 'input';
  tool: object;
}

/** The smallest output limit of each wire. OpenAI's Responses refuse a limit below 16. */
function askedBy({ wire, maxTokensField }: Upstream): AskedBy {
  switch (wire) {
    case 'chat':
      return {
        endpoint: 'chat/completions',
        limit: { [maxTokensField]: 1 },
        conversation: 'messages',
        tool: TOOL,
      };
    case 'responses':
      return {
        endpoint: 'responses',
        limit: { max_output_tokens: 16, store: false },
        conversation: 'input',
        tool: { type: 'function', name: 'f', parameters: PARAMETERS, strict: false },
      };
    case 'messages':
      return {
        endpoint: 'messages',
        limit: { max_tokens: 1 },
        conversation: 'messages',
        tool: TOOL_OF_MESSAGES,
      };
  }
}

async function promptTokensOf(
  { baseUrl, wire, dialect }: Upstream,
  endpoint: string,
  body: object,
  secret: string | undefined,
): Promise<number> {
  const query = dialect.apiVersion === undefined ? '' : `?api-version=${dialect.apiVersion}`;
  const response = await fetch(`${baseUrl}/${endpoint}${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(wire === 'messages' && { 'anthropic-version': MESSAGES_VERSION }),
      ...(secret !== undefined && secretHeader({ wire, dialect }, secret)),
    },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered ${String(response.status)}.`);
  }
  const { usage } = (await response.json()) as { usage?: Record<string, unknown> };
  const counts = PROMPT_COUNTS[wire].map((name) => usage?.[name] ?? 0);
  const tokens = counts.reduce<number>(
    (sum, count) => sum + (Number.isSafeInteger(count) ? Number(count) : NaN),
    0,
  );
  if (!(tokens > 0)) throw new Error('it did not report the tokens of the prompt.');
  return tokens;
}

/**
 * A prompt is the sum of these: messages servers count tokens read from and written to a cache separately.
 */
const PROMPT_COUNTS: Readonly<Record<Upstream['wire'], readonly string[]>> = {
  chat: ['prompt_tokens'],
  responses: ['input_tokens'],
  messages: ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'],
};

function secretHeader(
  { wire, dialect }: Pick<Upstream, 'wire' | 'dialect'>,
  secret: string,
): Record<string, string> {
  if (dialect.auth === 'api-key') return { 'api-key': secret };
  return wire === 'messages' ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` };
}
