import { z } from 'zod';
import { assistantContent, textContent, userContent } from './content';

const name = z.string().min(1).max(64);
const MAX_TOOL_CALLS = 128;

const toolCall = z.strictObject({
  id: z.string().min(1).max(128),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1).max(128), arguments: z.string() }),
});

const assistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: assistantContent.nullish(),
  refusal: z.string().nullish(),
  name: name.optional(),
  tool_calls: z.array(toolCall).min(1).max(MAX_TOOL_CALLS).optional(),
});

/** A message of the conversation. Source: OpenAI API reference, chat completions, `messages`. */
export const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: textContent, name: name.optional() }),
  z.strictObject({ role: z.literal('developer'), content: textContent, name: name.optional() }),
  z.strictObject({ role: z.literal('user'), content: userContent, name: name.optional() }),
  assistantMessage.refine(
    ({ content, tool_calls, refusal }) => content != null || tool_calls !== undefined || refusal != null,
    { path: ['content'], message: 'is required where there are no tool_calls' },
  ),
  z.strictObject({ role: z.literal('tool'), content: textContent, tool_call_id: z.string().min(1).max(128) }),
  z.strictObject({ role: z.literal('function'), content: z.string(), name }),
]);

export type ChatMessage = z.output<typeof message>;
