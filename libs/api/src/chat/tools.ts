import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { noneOf } from '../describe-issue';
import { givenObject } from '../given-object';
import { problemBy } from '../own-reading';
import { maybe } from './messages';
import { findReferenceProblem } from './schema-references';

/**
 * A JSON Schema from a client: for a tool's parameters, or for the response. It may be recursive, but every `$ref`
 * must lead to a schema inside the document: an outside one could make an upstream fetch it, and a chain of
 * references without a schema describes nothing.
 */
export const jsonSchema = givenObject.check(
  problemBy((schema) => {
    const message = findReferenceProblem(schema);
    return message === undefined ? undefined : { message };
  }),
);

/** The name of a function, and of a response's schema. */
export const functionName = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_-]{1,${String(CHAT_REQUEST_LIMITS.nameLength)}}$`),
    `must be 1 to ${String(CHAT_REQUEST_LIMITS.nameLength)} letters, digits, _ or -`,
  );

const functionTool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: functionName,
    description: maybe(z.string()),
    parameters: maybe(jsonSchema),
    strict: z.boolean().nullish(),
  }),
});

/** A tool whose input is a text. A model here gets it as a function with one string. */
const customTool = z.object({
  type: z.literal('custom'),
  custom: z.object({
    name: functionName,
    description: maybe(z.string()),
    format: maybe(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('text') }),
        z.object({
          type: z.literal('grammar'),
          grammar: z.object({ syntax: z.enum(['lark', 'regex']), definition: z.string() }),
        }),
      ]),
    ),
  }),
});

const SERVED_TYPES = ['function', 'custom'];
const isServedType = (type: string): boolean => SERVED_TYPES.includes(type);
const NOT_SERVED = 'must be "function" or "custom"';

/** A tool that another service runs itself: dropped. */
const hostedTool = z.looseObject({
  type: z
    .string()
    .max(64)
    .refine(...noneOf(SERVED_TYPES, NOT_SERVED)),
});

export const tools = z.array(z.union([functionTool, customTool, hostedTool])).max(CHAT_REQUEST_LIMITS.tools);

const namedTool = z.discriminatedUnion('type', [
  z.object({ type: z.literal('function'), function: z.object({ name: functionName }) }),
  z.object({ type: z.literal('custom'), custom: z.object({ name: functionName }) }),
]);
type NamedTool = z.output<typeof namedTool>;

const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  allowed_tools: z.object({
    mode: z.enum(['auto', 'required']),
    tools: z.array(namedTool).min(1).max(CHAT_REQUEST_LIMITS.tools),
  }),
});

const hostedChoice = z.looseObject({
  type: z
    .string()
    .max(64)
    .refine(...noneOf([...SERVED_TYPES, 'allowed_tools'], NOT_SERVED)),
});

export const toolChoice = z.union(
  [z.enum(['none', 'auto', 'required']), namedTool, allowedTools, hostedChoice],
  'must be "none", "auto", "required" or one of the tools',
);

export type ChatTool = z.output<typeof tools>[number];
export type FunctionTool = z.output<typeof functionTool>;
export type CustomChatTool = z.output<typeof customTool>;
export type ChatToolChoice = z.output<typeof toolChoice>;
type ServedChoice = Extract<ChatToolChoice, string> | NamedTool | z.output<typeof allowedTools>;

/** Whether the tool can be offered to a model here. */
export function isServedTool(tool: ChatTool): tool is FunctionTool | CustomChatTool {
  return isServedType(tool.type);
}

/** Whether a choice is not one of a dropped tool. */
export function isServedChoice(choice: ChatToolChoice): choice is ServedChoice {
  return typeof choice === 'string' || choice.type === 'allowed_tools' || isServedType(choice.type);
}

/** The client's name of a tool. */
export function nameOfTool(tool: FunctionTool | CustomChatTool | NamedTool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name;
}

interface ToolFields {
  tools?: readonly ChatTool[] | null | undefined;
  tool_choice?: ChatToolChoice | null | undefined;
  parallel_tool_calls?: boolean | null | undefined;
}

/**
 * The field that refers to missing tools, and its problem. Libraries still say that none need be called beside an
 * empty list of tools.
 */
export function findToolMismatch({
  tools: given,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ToolFields): { path: (string | number)[]; message: string } | undefined {
  if (!given?.length) {
    if (given && typeof choice === 'string' && choice !== 'required') return undefined;
    if (choice != null) return { path: ['tool_choice'], message: 'goes with tools only' };
    if (parallel != null && !given) return { path: ['parallel_tool_calls'], message: 'goes with tools only' };
    return undefined;
  }
  if (choice == null || !isServedChoice(choice) || typeof choice === 'string') return undefined;
  const isGiven = (named: NamedTool): boolean =>
    given.some(
      (tool) => isServedTool(tool) && tool.type === named.type && nameOfTool(tool) === nameOfTool(named),
    );
  const message = 'must be one of the tools';
  if (choice.type !== 'allowed_tools')
    return isGiven(choice) ? undefined : { path: ['tool_choice', choice.type, 'name'], message };
  const missing = choice.allowed_tools.tools.findIndex((named) => !isGiven(named));
  return missing < 0 ? undefined : { path: ['tool_choice', 'allowed_tools', 'tools', missing], message };
}

export const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: functionName,
      description: maybe(z.string()),
      schema: maybe(jsonSchema),
      strict: z.boolean().nullish(),
    }),
  }),
]);
