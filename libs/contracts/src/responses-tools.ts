import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from './chat-limits';
import { maybe } from './chat-messages';
import { functionName, jsonSchema } from './chat-tools';

const functionTool = z.object({
  type: z.literal('function'),
  name: functionName,
  description: maybe(z.string()),
  parameters: maybe(jsonSchema),
  strict: z.boolean().nullish(),
});

/** A tool whose input is a text. A model here is given a function with one string. */
const customTool = z.object({
  type: z.literal('custom'),
  name: functionName,
  description: maybe(z.string()),
  format: maybe(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({
        type: z.literal('grammar'),
        syntax: z.enum(['lark', 'regex']),
        definition: z.string(),
      }),
    ]),
  ),
});

const SERVED_TOOLS = ['function', 'custom'];

/** A tool that OpenAI runs itself, or that is none: left out, so that clients who always send one work. */
const hostedTool = z.looseObject({
  type: z
    .string()
    .max(64)
    .refine((type) => !SERVED_TOOLS.includes(type), 'must be "function" or "custom"'),
});

export const responsesTools = z
  .array(z.union([functionTool, customTool, hostedTool]))
  .max(CHAT_REQUEST_LIMITS.tools);

const servedTool = z.object({
  type: z.enum(['function', 'custom'], 'must be "function" or "custom": no other tools are served'),
  name: functionName,
});

export const responsesToolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    servedTool,
    z.object({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(servedTool).min(1).max(CHAT_REQUEST_LIMITS.tools),
    }),
  ],
  'must be "none", "auto", "required" or name function or custom tools',
);

export type ResponsesTool = z.output<typeof responsesTools>[number];
export type ServedTool = z.output<typeof functionTool> | z.output<typeof customTool>;
export type ResponsesToolChoice = z.output<typeof responsesToolChoice>;

export function isServedTool(tool: ResponsesTool): tool is ServedTool {
  return SERVED_TOOLS.includes(tool.type);
}

interface ToolFields {
  tools?: readonly ResponsesTool[] | null | undefined;
  tool_choice?: ResponsesToolChoice | null | undefined;
}

/** What is wrong with `tool_choice` beside these tools. */
export function findChoiceMismatch({
  tools,
  tool_choice: choice,
}: ToolFields): { path: (string | number)[]; message: string } | undefined {
  if (choice == null || choice === 'auto' || choice === 'none') return undefined;
  const served = (tools ?? []).filter(isServedTool);
  if (choice === 'required')
    return served.length > 0
      ? undefined
      : { path: ['tool_choice'], message: 'goes with tools of the type "function" or "custom" only' };
  const isGiven = ({ type, name }: z.output<typeof servedTool>): boolean =>
    served.some((tool) => tool.type === type && tool.name === name);
  const message = 'must be one of the tools';
  if (choice.type !== 'allowed_tools')
    return isGiven(choice) ? undefined : { path: ['tool_choice', 'name'], message };
  const missing = choice.tools.findIndex((tool) => !isGiven(tool));
  return missing < 0 ? undefined : { path: ['tool_choice', 'tools', missing, 'name'], message };
}
