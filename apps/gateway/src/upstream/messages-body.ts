import {
  isCustomTool,
  type AssistantBlock,
  type ChatCompletionRequest,
  type MessagesRequest,
  type UserBlock,
} from '@farebox/contracts';
import { writeJson, type WrittenStrings } from '@farebox/http';
import { stopsOf } from './answers';
import { toPromptOfMessages } from './chat-to-messages';

/** A request as it goes to a server of messages, without the part that depends on which one it is. */
interface MessagesAsk {
  request: ChatCompletionRequest;
  /** What the customer sent, if they sent a message: it goes on with its cache control and the signatures of thoughts. */
  original: MessagesRequest | undefined;
  /** How its long strings were written, if it is long. */
  written: WrittenStrings | undefined;
  extraFields: Readonly<Record<string, unknown>>;
  maxOutputTokens: number;
}

/** Below this a model does not think. Source: Anthropic API reference, `thinking.budget_tokens`. */
const LEAST_BUDGET_TOKENS = 1_024;

/** The body of `POST /v1/messages` for one server. Nothing in it says who the customer is. */
export function toMessagesBody(
  { request, original, written, extraFields, maxOutputTokens }: MessagesAsk,
  upstreamModel: string,
): string | Buffer {
  const prompt = original ? ownPrompt(original) : toPromptOfMessages(request);
  const thinking = fitThinking(prompt['thinking'] as Thinking, maxOutputTokens);
  const sampling = thinking ? {} : samplingOf(request);
  const stops = stopsOf(request);
  const body = withoutNulls({
    ...extraFields,
    model: upstreamModel,
    max_tokens: maxOutputTokens,
    ...sampling,
    ...prompt,
    thinking,
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...(request.stream === true && { stream: true }),
  });
  return written ? Buffer.concat(writeJson(body, written)) : JSON.stringify(body);
}

/** Of messages a temperature is at most 1. */
function samplingOf({ temperature, top_p }: ChatCompletionRequest): object {
  return {
    ...(temperature != null && { temperature: Math.min(temperature, 1) }),
    ...(top_p != null && { top_p }),
  };
}

type Thinking = MessagesRequest['thinking'];

/** The limit of output may have been lowered: what is thought must be less. */
function fitThinking(thinking: Thinking, maxOutputTokens: number): Thinking | undefined {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens == null) return thinking ?? undefined;
  const budget_tokens = Math.min(thinking.budget_tokens, maxOutputTokens - 1);
  return budget_tokens < LEAST_BUDGET_TOKENS ? undefined : { ...thinking, budget_tokens };
}

/** The prompt as it was sent: only what was read of it, and without what no server of another service knows. */
function ownPrompt(original: MessagesRequest): Record<string, unknown> {
  const { messages, system, tool_choice, thinking, output_config, cache_control } = original;
  const tools = (original.tools ?? []).filter(isCustomTool);
  const own = messages.map((message) =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: (message.content as AnyBlock[]).filter(isOwn) },
  );
  return withoutNulls({
    messages: own.filter(({ content }) => content.length > 0),
    system,
    ...(tools.length > 0 && { tools, tool_choice }),
    thinking,
    output_config,
    cache_control,
  });
}

type AnyBlock = UserBlock | AssistantBlock;

const OWN_TYPES = new Set<string>([
  ...['text', 'image', 'document', 'search_result', 'tool_result'],
  ...['thinking', 'redacted_thinking', 'tool_use'],
]);

/** A thought without a signature was another server's. */
function isOwn(block: AnyBlock): boolean {
  if (block.type === 'thinking') return Boolean(block.signature);
  return OWN_TYPES.has(block.type);
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
