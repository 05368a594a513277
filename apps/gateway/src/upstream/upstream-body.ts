import type { Prompt, Upstream } from '@farebox/catalog';
import { FORWARDED_FIELDS, type ChatCompletionRequest } from '@farebox/contracts';
import { writeJson, type WrittenStrings } from '@farebox/http';
import { promptOf } from './body-prompt';
import { toServerMessages } from './server-messages';
import { toMessagesFields, withoutCacheControl, type AskedOfServers } from './messages-body';

type Wire = Upstream['wire'];

/** A request as all servers of one wire are sent it, without what differs from one to the other. */
export interface SentBody {
  wire: Wire;
  fields: Readonly<Record<string, unknown>>;
  /** What of `fields` becomes tokens: all that is held is read from there. */
  prompt: Prompt;
  maxOutputTokens: number;
}

export function toSentBody(asked: AskedOfServers, wire: Wire): SentBody {
  const fields = wire === 'messages' ? toMessagesFields(asked) : toChatFields(asked);
  return { wire, fields, prompt: promptOf(fields), maxOutputTokens: asked.maxOutputTokens };
}

const FORWARDED = new Set<string>(FORWARDED_FIELDS);

/** Libraries send them beside an empty list of tools, too. */
const GO_WITH_TOOLS = new Set<string>(['tool_choice', 'parallel_tool_calls']);

function toChatFields({ request, extraFields }: AskedOfServers): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...extraFields };
  const hasTools = request.tools != null && request.tools.length > 0;
  for (const field in request) {
    const value = FORWARDED.has(field) ? request[field as keyof ChatCompletionRequest] : null;
    if (value == null || (Array.isArray(value) && value.length === 0)) continue;
    if (!hasTools && GO_WITH_TOOLS.has(field)) continue;
    fields[field] = field === 'messages' ? toServerMessages(request.messages) : value;
  }
  if (request.stream) fields['stream'] = true;
  return fields;
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
  { wire, fields, maxOutputTokens }: SentBody,
  { maxTokensField, promptCache }: Pick<Upstream, 'maxTokensField' | 'promptCache'>,
  { upstreamModel, written, markIn }: UpstreamShare,
): string | Buffer {
  const isCached = wire === 'chat' || promptCache !== 'hidden';
  const body: Record<string, unknown> = {
    model: upstreamModel,
    ...(isCached ? fields : withoutCacheControl(fields)),
  };
  body[wire === 'messages' ? 'max_tokens' : maxTokensField] = maxOutputTokens;
  // Usage is counted always; the customer sees it only if they asked for it.
  if (wire === 'chat' && fields['stream'] === true) body['stream_options'] = { include_usage: true };
  if (promptCache === 'metadata.user_id') body['metadata'] = { user_id: markIn(promptCache) };
  else if (promptCache !== 'shared' && promptCache !== 'hidden') body[promptCache] = markIn(promptCache);
  return written ? Buffer.concat(writeJson(body, written)) : JSON.stringify(body);
}
