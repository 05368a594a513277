import type { Dialect, Prompt, Upstream } from '@farebox/catalog';
import { FORWARDED_FIELDS, type ChatCompletionRequest } from '@farebox/api';
import { Pace, writeJsonInTurns, type WrittenJson } from '@farebox/flow';
import { promptInTurns, promptOf } from './body-prompt';
import { readArgumentsInTurns } from './chat-to-messages';
import { toMessagesFields, withoutCacheControl, type AskedOfServers } from './messages-body';
import { toResponsesFields } from './responses-body';
import { toServerMessages } from './server-messages';
import { withoutSeals } from './left-seals';
import type { Speech } from './speech';

/** A request in the form that all servers with the same settings share, without what differs between them. */
export interface SentBody {
  speech: Speech;
  fields: Readonly<Record<string, unknown>>;
  /** The parts of `fields` that become tokens; the hold is computed from it. */
  prompt: Prompt;
  /** Fields of the request that the server's dialect leaves out, by their chat names. */
  omitted: readonly string[];
  maxOutputTokens: number;
}

export function toSentBody(asked: AskedOfServers, speech: Speech): SentBody {
  const body = translate(asked, speech);
  return { ...body, prompt: promptOf(body.fields, asked.written) };
}

/** `toSentBody` for a long request, in turns of the event loop. */
export async function toSentBodyInTurns(asked: AskedOfServers, speech: Speech): Promise<SentBody> {
  const pace = new Pace();
  const parses = speech.wire === 'messages' && !asked.original;
  const readArguments = parses ? await readArgumentsInTurns(asked.request) : undefined;
  const body = translate({ ...asked, readArguments }, speech);
  await pace.giveWay();
  const prompt = await promptInTurns(body.fields, asked.written);
  await pace.giveWay();
  return { ...body, prompt };
}

function translate(asked: AskedOfServers, speech: Speech): Omit<SentBody, 'prompt'> {
  const fields = toFields(speech.leavesOutSeals ? withoutSeals(asked) : asked, speech);
  return { speech, fields, omitted: omittedOf(asked, speech), maxOutputTokens: asked.maxOutputTokens };
}

/** Responses fields with another name in chat. */
const NAMES_IN_CHAT = new Map([
  ['reasoning', 'reasoning_effort'],
  ['text', 'response_format'],
]);

function omittedOf({ request, reasoningSummary }: AskedOfServers, { wire, dialect }: Speech): string[] {
  // A Messages body is built field by field.
  if (wire === 'messages') return [];
  return dialect.omit.flatMap((field) => {
    if (field === 'phase') return wire === 'responses' && request.messages.some(hasPhase) ? [PHASE] : [];
    if (field === 'reasoning.summary') return wire === 'responses' && reasoningSummary ? [field] : [];
    const name = wire === 'responses' ? (NAMES_IN_CHAT.get(field) ?? field) : field;
    return isSent(request, name) ? [name] : [];
  });
}

/** The client's name for it. */
const PHASE = 'input.phase';
const hasPhase = (message: ChatCompletionRequest['messages'][number]): boolean =>
  message.role === 'assistant' && message.phase !== undefined;

function toFields(asked: AskedOfServers, { wire, dialect }: Speech): Record<string, unknown> {
  switch (wire) {
    case 'chat':
      return toChatFields(asked, dialect);
    case 'responses':
      return toResponsesFields(asked, dialect);
    case 'messages':
      return toMessagesFields(asked, dialect);
  }
}

const LIMIT_FIELDS = { responses: 'max_output_tokens', messages: 'max_tokens' } as const;

function limitField({ wire, maxTokensField }: Speech): string {
  return wire === 'chat' ? maxTokensField : LIMIT_FIELDS[wire];
}

const FORWARDED = new Set<string>(FORWARDED_FIELDS);

/** Libraries send them beside an empty list of tools, too. */
const GO_WITH_TOOLS = new Set<string>(['tool_choice', 'parallel_tool_calls']);

function toChatFields({ request, extraFields }: AskedOfServers, dialect: Dialect): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...extraFields };
  for (const field in request) {
    if (!isSent(request, field) || dialect.omit.includes(field)) continue;
    const value = request[field as keyof ChatCompletionRequest];
    if (field === 'messages') fields[field] = toServerMessages(request.messages, dialect);
    else fields[field === 'seed' ? dialect.seedField : field] = value;
  }
  if (request.stream) fields['stream'] = true;
  return fields;
}

/** Whether a chat server gets a field of the request, if it takes that field. */
function isSent(request: ChatCompletionRequest, field: string): boolean {
  const value = FORWARDED.has(field) ? request[field as keyof ChatCompletionRequest] : null;
  if (value == null || (Array.isArray(value) && value.length === 0)) return false;
  return !GO_WITH_TOOLS.has(field) || (request.tools != null && request.tools.length > 0);
}

/** The part of a body that differs between upstreams. */
interface UpstreamShare {
  upstreamModel: string;
  /** The raw JSON of the request's long strings, if it is long. */
  written: WrittenJson | undefined;
  /** The account's mark for this field, for a server that separates its cache by it. */
  markIn: (field: string) => string;
  /** Runs long work in the account's turn, one piece at a time. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** In pieces if it is long: they share the memory of the client's body. */
export type WrittenBody = string | readonly Buffer[];

/** The body for one upstream: its own name for the model, and the limit in the field that it takes. */
export function toUpstreamBody(
  { speech, fields, maxOutputTokens }: SentBody,
  { promptCache }: Pick<Upstream, 'promptCache'>,
  { upstreamModel, written, markIn, inTurn }: UpstreamShare,
): WrittenBody | Promise<WrittenBody> {
  const isCached = speech.wire !== 'messages' || promptCache !== 'hidden';
  const body: Record<string, unknown> = {
    model: upstreamModel,
    ...(isCached ? fields : withoutCacheControl(fields)),
  };
  body[limitField(speech)] = maxOutputTokens;
  // Usage is always counted; customers see it only if they asked for it.
  const asksForUsage = speech.wire === 'chat' && fields['stream'] === true;
  if (asksForUsage && !speech.dialect.omit.includes('stream_options'))
    body['stream_options'] = { include_usage: true };
  if (promptCache === 'metadata.user_id') body['metadata'] = { user_id: markIn(promptCache) };
  else if (promptCache !== 'shared' && promptCache !== 'hidden') body[promptCache] = markIn(promptCache);
  return toBytes(body, written, inTurn);
}

/** The JSON of a body; a long one is written in turns. */
export function toBytes(
  body: Readonly<Record<string, unknown>>,
  written: WrittenJson | undefined,
  inTurn: UpstreamShare['inTurn'],
): WrittenBody | Promise<WrittenBody> {
  return written ? writeJsonInTurns(body, written, inTurn) : JSON.stringify(body);
}
