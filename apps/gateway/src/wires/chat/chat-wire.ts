import {
  chatCompletionRequest,
  findUnknownFields,
  parseBody,
  type ChatCompletionChunk,
  type CompletionUsage,
  type ToolCall,
} from '@farebox/api';
import { chatOperations } from '@farebox/api/operations';
import { writeJsonInTurns, type WrittenJson } from '@farebox/flow';
import { requireApiKeySecret } from '../../identity/api-keys';
import type { Choice, ChunkChoice } from '../../upstream/answers';
import { isTextOnly } from '../../upstream/text-events';
import type { AnswerIdentity } from '../../chat/completion';
import { toEvent, type ResponseWriter, type Wire } from '../wire';
import { CustomCalls, toCustomCall } from './custom-calls';
import { JoinedTexts, withJoinedTexts } from './joined-texts';
import { customToolsOf, toServedRequest } from './served-request';

/** `POST /v1/chat/completions`. Source: docs/design/contract.md. */
export const chatWire: Wire = {
  path: chatOperations.createChatCompletion.path,
  readSecret: requireApiKeySecret,
  read(value) {
    const body = parseBody(chatCompletionRequest, value);
    const unknown = findUnknownFields(value, body);
    const includesUsage = body.stream_options?.include_usage === true;
    const customTools = customToolsOf(body);
    const writer = chatWriter(includesUsage, new Set(customTools.keys()));
    return { body: toServedRequest(body), unknown, customTools, writer };
  },
  toErrorBody: (error) => error.toEnvelope(),
};

const NO_TOOLS: ReadonlySet<string> = new Set();

/**
 * `includesUsage`: a stream reports its usage at its end. `customTools`: the names of tools with text input.
 */
export function chatWriter(includesUsage: boolean, customTools = NO_TOOLS): ResponseWriter {
  /** The JSON of the stream's events before and after their choices. */
  let head: string | undefined;
  const custom = customTools.size > 0 ? new CustomCalls(customTools) : undefined;
  const texts = new JoinedTexts();
  const tail = includesUsage ? ',"usage":null}\n\n' : '}\n\n';
  return {
    // A comment: clients ignore it, and proxies see that the stream is alive.
    heartbeat: ': keep-alive\n\n',
    toWhole: (of, choices, usage, written) => toWhole(of, choices, usage, written, customTools),
    toChunk(of, pieces) {
      const choices = texts.read(pieces);
      const json = custom
        ? JSON.stringify(choices.map((choice) => custom.read(choice)))
        : toChoicesJson(choices);
      return (head ??= toEventHead(of)) + json + tail;
    },
    toEnd: (of, usage) => `${includesUsage ? toEvent(toChunk(of, [], usage)) : ''}data: [DONE]\n\n`,
    toFailure: (error) => toEvent({ object: 'error', ...error.toEnvelope() }),
  };
}

export function toWhole(
  { id, created, model }: AnswerIdentity,
  said: readonly Choice[],
  usage: CompletionUsage,
  written?: WrittenJson,
  customTools = NO_TOOLS,
): string | Buffer[] | Promise<Buffer[]> {
  const choices = said.map((choice) => toTold(choice, customTools));
  const whole = { id, object: 'chat.completion', created, model, choices, usage };
  return written ? writeJsonInTurns(whole, written) : JSON.stringify(whole);
}

/** A chat message has one text, before its calls. */
function toTold(said: Choice, customTools: ReadonlySet<string>): object {
  const choice = withJoinedTexts(said);
  const { message } = choice;
  const isCustom = ({ function: called }: ToolCall): boolean => customTools.has(called.name);
  const { tool_calls: calls } = message;
  if (!calls?.some(isCustom)) return choice;
  const tool_calls = calls.map((call) => (isCustom(call) ? toCustomCall(call) : call));
  return { ...choice, message: { ...message, tool_calls } };
}

/** The start of each event of a stream: `toChunk` up to its choices. */
function toEventHead(of: AnswerIdentity): string {
  const empty = toEvent(toChunk(of, [], undefined));
  return empty.slice(0, empty.lastIndexOf('[]'));
}

/**
 * Most events have only a piece of text. Writing that without a look at each field takes a fifth of the time.
 */
function toChoicesJson(choices: readonly ChunkChoice[]): string {
  const [only] = choices;
  if (choices.length !== 1 || !only || !isTextOnly(only)) return JSON.stringify(choices);
  const text = JSON.stringify(only.delta.content);
  return `[{"index":${String(only.index)},"delta":{"content":${text}},"finish_reason":null}]`;
}

/**
 * One event of a stream. If the customer asked for usage, it is null on all events but the last; otherwise it
 * is left out.
 */
export function toChunk(
  { id, created, model }: AnswerIdentity,
  choices: ChatCompletionChunk['choices'],
  usage: CompletionUsage | null | undefined,
): ChatCompletionChunk {
  const chunk: ChatCompletionChunk = { id, object: 'chat.completion.chunk', created, model, choices };
  return usage === undefined ? chunk : { ...chunk, usage };
}
