import type { Upstream } from '@farebox/catalog';
import { FORWARDED_FIELDS, type ChatCompletionRequest, type MessagesRequest } from '@farebox/contracts';
import { writeJson, type WrittenStrings } from '@farebox/http';
import { toMessagesBody } from './messages-body';

/** A request as it goes upstream, without the part that depends on which upstream it is. */
interface UpstreamRequest {
  request: ChatCompletionRequest;
  /** What the customer sent, if they sent a message: a server of messages is sent the same. */
  original?: MessagesRequest | undefined;
  /** How its long strings were written, if it is long. */
  written: WrittenStrings | undefined;
  /** Fields of other vendors that the catalogue allows for the model. */
  extraFields: Readonly<Record<string, unknown>>;
  /** Always sent, so that the output cannot cost more than the hold. */
  maxOutputTokens: number;
}

const FORWARDED = new Set<string>(FORWARDED_FIELDS);

/** Libraries send them beside an empty list of tools, too. */
const GO_WITH_TOOLS = new Set<string>(['tool_choice', 'parallel_tool_calls']);

/** The body for one upstream: its own name of the model, and the limit in the field that it takes. */
export function toUpstreamBody(
  asked: UpstreamRequest,
  upstream: Pick<Upstream, 'maxTokensField' | 'wire'>,
  upstreamModel: string,
): string | Buffer {
  const { request, original, written, extraFields, maxOutputTokens } = asked;
  if (upstream.wire === 'messages') return toMessagesBody({ ...asked, original }, upstreamModel);
  const body: Record<string, unknown> = { ...extraFields, model: upstreamModel };
  const hasTools = request.tools != null && request.tools.length > 0;
  for (const field in request) {
    const value = FORWARDED.has(field) ? request[field as keyof ChatCompletionRequest] : null;
    if (value == null || (Array.isArray(value) && value.length === 0)) continue;
    if (!hasTools && GO_WITH_TOOLS.has(field)) continue;
    body[field] = value;
  }
  body[upstream.maxTokensField] = maxOutputTokens;
  if (request.stream) {
    body['stream'] = true;
    // Usage is counted always; the customer sees it only if they asked for it.
    body['stream_options'] = { include_usage: true };
  }
  return written ? Buffer.concat(writeJson(body, written)) : JSON.stringify(body);
}
