import { z } from 'zod';
import { assistantContent, textContent, userContent } from './content';
import { CHAT_REQUEST_LIMITS } from './limits';

const { nameLength, toolCallIdLength, toolCallsOfMessage } = CHAT_REQUEST_LIMITS;

const name = z.string().min(1).max(nameLength);
const toolCallId = z.string().min(1).max(toolCallIdLength);
const calledFunction = z.strictObject({ name: z.string().min(1).max(128), arguments: z.string() });

const toolCall = z.strictObject({ id: toolCallId, type: z.literal('function'), function: calledFunction });

/** What the service answered before may be sent back as it is: so every field of an answer is one here. */
const assistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: assistantContent.nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  name: name.optional(),
  tool_calls: z.array(toolCall).min(1).max(toolCallsOfMessage).nullish(),
  /** Of transcripts from before there were tools; goes with the role `function`. */
  function_call: calledFunction.nullish(),
});

/** A message of the conversation. Source: OpenAI API reference, chat completions, `messages`. */
export const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: textContent, name: name.optional() }),
  z.strictObject({ role: z.literal('developer'), content: textContent, name: name.optional() }),
  z.strictObject({ role: z.literal('user'), content: userContent, name: name.optional() }),
  assistantMessage.refine(
    ({ content, tool_calls, function_call, refusal }) =>
      [content, tool_calls, function_call, refusal].some((said) => said != null),
    { path: ['content'], message: 'is required where there are no tool_calls' },
  ),
  z.strictObject({
    role: z.literal('tool'),
    content: textContent,
    tool_call_id: toolCallId,
    /** Of the tool. Not in OpenAI's reference; its API takes it, and LangChain sends it. */
    name: name.optional(),
  }),
  z.strictObject({ role: z.literal('function'), content: z.string(), name }),
]);

export type ChatMessage = z.output<typeof message>;
