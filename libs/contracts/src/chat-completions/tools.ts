import { z } from 'zod';
import { jsonSchema } from './json-schema';
import { CHAT_REQUEST_LIMITS } from './limits';

/** The name of a function, and of a response's schema. */
export const functionName = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_-]{1,${String(CHAT_REQUEST_LIMITS.nameLength)}}$`),
    `must be 1 to ${String(CHAT_REQUEST_LIMITS.nameLength)} letters, digits, _ or -`,
  );

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: functionName,
    description: z.string().optional(),
    parameters: jsonSchema.optional(),
    strict: z.boolean().nullish(),
  }),
});

export const tools = z.array(tool).min(1).max(CHAT_REQUEST_LIMITS.tools);

export const toolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: functionName }) }),
  ],
  'must be "none", "auto", "required" or a function of the tools',
);

interface ToolFields {
  tools?: z.output<typeof tools> | undefined;
  tool_choice?: z.output<typeof toolChoice> | undefined;
  parallel_tool_calls?: boolean | undefined;
}

/** Which field speaks of tools that the request does not have, and what is wrong with it. */
export function findToolMismatch({
  tools: given,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ToolFields): { path: string[]; message: string } | undefined {
  if (!given) {
    if (choice !== undefined) return { path: ['tool_choice'], message: 'goes with tools only' };
    if (parallel !== undefined) return { path: ['parallel_tool_calls'], message: 'goes with tools only' };
    return undefined;
  }
  if (typeof choice !== 'object') return undefined;
  const isGiven = given.some(({ function: { name } }) => name === choice.function.name);
  return isGiven
    ? undefined
    : { path: ['tool_choice', 'function', 'name'], message: 'must be one of the tools' };
}
