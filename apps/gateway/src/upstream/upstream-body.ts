import type { Dialect, Prompt, Upstream } from '@farebox/catalog';
import { FORWARDED_FIELDS, type ChatCompletionRequest } from '@farebox/api';
import { writeJson, type WrittenStrings } from '@farebox/flow';
import { promptOf } from './body-prompt';
import { toMessagesFields, withoutCacheControl, type AskedOfServers } from './messages-body';
import { toResponsesFields } from './responses-body';
import { toServerMessages } from './server-messages';
import { withoutSeals } from './left-seals';
import type { Speech } from './speech';

/** A request as all servers are sent it that are spoken to in one way, without what differs from one to the other. */
export interface SentBody {
  speech: Speech;
  fields: Readonly<Record<string, unknown>>;
  /** What of `fields` becomes tokens: all that is held is read from there. */
  prompt: Prompt;
  /** What of the request the server's dialect leaves out, by its name in chat. */
  omitted: readonly string[];
  maxOutputTokens: number;
}

export function toSentBody(asked: AskedOfServers, speech: Speech): SentBody {
  const fields = toFields(speech.leavesOutSeals ? withoutSeals(asked) : asked, speech);
  const omitted = omittedOf(asked, speech);
  return { speech, fields, prompt: promptOf(fields), omitted, maxOutputTokens: asked.maxOutputTokens };
}

/** Fields of Responses that are called otherwise in chat. */
const NAMES_IN_CHAT = new Map([
  ['reasoning', 'reasoning_effort'],
  ['text', 'response_format'],
]);

function omittedOf({ request, reasoningSummary }: AskedOfServers, { wire, dialect }: Speech): string[] {
  // A body of messages is made field by field.
  if (wire === 'messages') return [];
  return dialect.omit.flatMap((field) => {
    if (field === 'reasoning.summary') return wire === 'responses' && reasoningSummary ? [field] : [];
    const name = wire === 'responses' ? (NAMES_IN_CHAT.get(field) ?? field) : field;
    return isSent(request, name) ? [name] : [];
  });
}

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

/** Whether a server of chat is sent a field of the request, if it takes it. */
function isSent(request: ChatCompletionRequest, field: string): boolean {
  const value = FORWARDED.has(field) ? request[field as keyof ChatCompletionRequest] : null;
  if (value == null || (Array.isArray(value) && value.length === 0)) return false;
  return !GO_WITH_TOOLS.has(field) || (request.tools != null && request.tools.length > 0);
}

/** What one upstream is sent beside. */
interface UpstreamShare {
  upstreamModel: string;
  /** How the long strings of the request were written, if it is long. */
  written: WrittenStrings | undefined;
  /** Says in this field whose the request is, to a server that keeps its cache apart by it. */
  markIn: (field: string) => string;
}

/** The body for one upstream: its own name of the model, and the limit in the field that it takes. */
export function toUpstreamBody(
  { speech, fields, maxOutputTokens }: SentBody,
  { promptCache }: Pick<Upstream, 'promptCache'>,
  { upstreamModel, written, markIn }: UpstreamShare,
): string | Buffer {
  const isCached = speech.wire !== 'messages' || promptCache !== 'hidden';
  const body: Record<string, unknown> = {
    model: upstreamModel,
    ...(isCached ? fields : withoutCacheControl(fields)),
  };
  body[limitField(speech)] = maxOutputTokens;
  // Usage is counted always; the customer sees it only if they asked for it.
  const asksForUsage = speech.wire === 'chat' && fields['stream'] === true;
  if (asksForUsage && !speech.dialect.omit.includes('stream_options'))
    body['stream_options'] = { include_usage: true };
  if (promptCache === 'metadata.user_id') body['metadata'] = { user_id: markIn(promptCache) };
  else if (promptCache !== 'shared' && promptCache !== 'hidden') body[promptCache] = markIn(promptCache);
  return written ? Buffer.concat(writeJson(body, written)) : JSON.stringify(body);
}
