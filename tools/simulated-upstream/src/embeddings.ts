import { z } from 'zod';
import { behaviourOf, CANARY, EMBEDDING_MODEL, type Behaviour, type Fault } from './behaviours';
import { refuseWithCanaries, sendHtml, UNAVAILABLE, type AnsweringSettings } from './chat-completions';
import type { Exchange } from './exchange';
import { errorBody, refuse, reportedUsage, type Usage } from './response';
import { countTokens, sequenceFrom } from './text';

const tokens = z.array(z.int()).min(1);
const embeddingsRequest = z.object({
  model: z.string(),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1), tokens, z.array(tokens).min(1)]),
  encoding_format: z.enum(['float', 'base64']).optional(),
  dimensions: z.int().min(1).optional(),
});
type EmbeddingsRequest = z.output<typeof embeddingsRequest>;

/** Responds in the other format than the requested one. */
const CONTRARY = `${EMBEDDING_MODEL}-contrary`;
/** Supports no `dimensions`. */
const FIXED = `${EMBEDDING_MODEL}-fixed`;

const DEFAULT_DIMENSIONS = 64;

/** `POST /v1/embeddings`: the model's name selects its behaviour. */
export async function handleEmbeddings(exchange: Exchange, settings: AnsweringSettings): Promise<void> {
  const read = embeddingsRequest.safeParse(exchange.received.body);
  if (!read.success) {
    refuse(exchange, { status: 400, message: 'The request is not valid.', param: 'input' });
    return;
  }
  const { data: request } = read;
  const behaviour = behaviourOfEmbeddings(request.model);
  if (!behaviour) {
    const message = `The model '${request.model}' makes no embeddings on ${CANARY.host}.`;
    refuse(exchange, { status: 404, message, code: 'model_not_found', param: 'model' });
    return;
  }
  switch (behaviour.kind) {
    case 'answers':
      await answer(exchange, request, behaviour, settings);
      return;
    case 'refuses':
      refuseWithCanaries(exchange, behaviour.status, behaviour.restSeconds);
      return;
    case 'closes':
      await exchange.destroy();
      return;
    case 'html':
    case 'endless':
      sendHtml(exchange);
      return;
  }
}

function behaviourOfEmbeddings(model: string): Behaviour | undefined {
  if ([EMBEDDING_MODEL, CONTRARY, FIXED].includes(model)) return { kind: 'answers' };
  return model.startsWith(`${EMBEDDING_MODEL}-`)
    ? behaviourOf(model.replace(EMBEDDING_MODEL, 'sim'))
    : undefined;
}

async function answer(
  exchange: Exchange,
  request: EmbeddingsRequest,
  { delayMs = 0, usage: report, recovers, fault }: Extract<Behaviour, { kind: 'answers' }>,
  { secondChances }: AnsweringSettings,
): Promise<void> {
  if (recovers && !secondChances.isSecond(request)) {
    refuseWithCanaries(exchange, UNAVAILABLE);
    return;
  }
  await exchange.wait(delayMs);
  const inputs = inputsOf(request.input);
  let promptTokens = 0;
  for (const input of inputs)
    promptTokens += typeof input === 'string' ? await countTokens(input) : input.length;
  const usage = { prompt_tokens: promptTokens, completion_tokens: 0, total_tokens: promptTokens };
  const body = listOf(request, inputs, reportedUsage(usage, report, false));
  if (fault) await FAULTS[fault](exchange, body);
  else exchange.sendJson(200, body);
}

function inputsOf(input: EmbeddingsRequest['input']): (string | number[])[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as string[] | number[][]);
}

function listOf(
  { model, encoding_format: asked, dimensions }: EmbeddingsRequest,
  inputs: readonly (string | number[])[],
  usage: Usage | undefined,
): { data: object[] } & Record<string, unknown> {
  const isBase64 = (asked === 'base64') !== (model === CONTRARY);
  const length = (model === FIXED ? undefined : dimensions) ?? DEFAULT_DIMENSIONS;
  return {
    object: 'list',
    data: inputs.map((input, index) => {
      const vector = vectorOf(JSON.stringify(input), length);
      const embedding = isBase64 ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
      return { object: 'embedding', index, embedding };
    }),
    model: `${model}${CANARY.modelAlias}`,
    ...(usage && { usage: { prompt_tokens: usage.prompt_tokens, total_tokens: usage.total_tokens } }),
    system_fingerprint: CANARY.fingerprint,
  };
}

const STEPS = 2 ** 20;

/** A vector of length 1, and a function of the input alone. */
export function vectorOf(input: string, dimensions: number): Float32Array {
  const next = sequenceFrom(input);
  const numbers = Array.from({ length: dimensions }, () => (next(STEPS) - STEPS / 2) / STEPS);
  const norm = Math.hypot(...numbers);
  return Float32Array.from(numbers, (number) => number / norm);
}

/** Half of the declared length. */
async function sendHalf(exchange: Exchange, body: object): Promise<void> {
  const text = JSON.stringify(body);
  exchange.begin(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  await exchange.write(text.slice(0, text.length / 2));
}

/** The fault of a response. */
const FAULTS: Record<Fault, (exchange: Exchange, body: { data: object[] }) => Promise<void> | void> = {
  stalls: async (exchange, body) => {
    await sendHalf(exchange, body);
    await exchange.stall();
  },
  breaks: async (exchange, body) => {
    await sendHalf(exchange, body);
    await exchange.destroy();
  },
  // The last input has no vector.
  'ends-early': (exchange, body) => {
    exchange.sendJson(200, { ...body, data: body.data.slice(0, -1) });
  },
  garbage: (exchange) => {
    exchange.begin(200, { 'content-type': 'application/json' });
    exchange.end(`{"object":"list","data":[{"embedding":[0.1,${CANARY.host}`);
  },
  'error-midstream': (exchange) => {
    const message = `The engine on ${CANARY.host} failed.`;
    exchange.sendJson(200, errorBody({ message, type: `${CANARY.errorName}_error`, code: CANARY.errorName }));
  },
};
