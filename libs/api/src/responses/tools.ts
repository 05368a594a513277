import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { maybe } from '../chat/messages';
import { functionName, jsonSchema } from '../chat/tools';
import { noneOf } from '../describe-issue';

const functionTool = z.object({
  type: z.literal('function'),
  name: functionName,
  description: maybe(z.string()),
  parameters: maybe(jsonSchema),
  strict: z.boolean().nullish(),
});

/** A tool whose input is a text. A model here gets it as a function with one string. */
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

/** Publicly known tools that the client runs itself. A model that does not know them gets functions. */
const clientTool = z.discriminatedUnion('type', [
  z.object({ type: z.literal('local_shell') }),
  z.object({
    type: z.literal('shell'),
    environment: maybe(z.object({ type: z.literal('local') })),
  }),
  z.object({ type: z.literal('apply_patch') }),
  z.object({
    type: z.literal('tool_search'),
    execution: z.literal('client'),
    description: maybe(z.string()),
    parameters: maybe(jsonSchema),
  }),
]);

const NOT_HOSTED = ['function', 'custom', 'namespace'];

/** A tool that OpenAI runs itself, or an unknown one: dropped, so that clients who always send one work. */
const hostedTool = z.looseObject({
  type: z
    .string()
    .max(64)
    .refine(...noneOf(NOT_HOSTED, 'must be "function" or "custom"')),
});

const tool = z.union([functionTool, customTool, hostedTool]);

/** Tools with a common name: Codex groups those of each MCP server. */
const namespaceTool = z.object({
  type: z.literal('namespace'),
  name: functionName,
  description: maybe(z.string()),
  tools: z.array(tool).max(CHAT_REQUEST_LIMITS.tools),
});

export const responsesTools = z
  .array(z.union([functionTool, customTool, namespaceTool, clientTool, hostedTool]))
  .max(CHAT_REQUEST_LIMITS.tools);

const servedTool = z.object({ type: z.enum(['function', 'custom']), name: functionName });

/** A choice of a dropped tool. */
const hostedChoice = z.looseObject({
  type: z
    .string()
    .max(64)
    .refine(...noneOf(['function', 'custom', 'allowed_tools'], 'must be "function" or "custom"')),
});

export const responsesToolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    servedTool,
    z.object({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z
        .array(z.union([servedTool, hostedChoice]))
        .min(1)
        .max(CHAT_REQUEST_LIMITS.tools),
    }),
    hostedChoice,
  ],
  'must be "none", "auto", "required" or name function or custom tools',
);

export type ResponsesTool = z.output<typeof responsesTools>[number];
export type ServedTool = z.output<typeof functionTool> | z.output<typeof customTool>;
export type ResponsesToolChoice = z.output<typeof responsesToolChoice>;
type NamedTool = z.output<typeof servedTool>;
/** A tool that the client runs itself is named by its type. */
type ChosenTool = NamedTool | { type: ClientTool['type'] };
type ServedChoice =
  | Extract<ResponsesToolChoice, string>
  | ChosenTool
  | { type: 'allowed_tools'; mode: 'auto' | 'required'; tools: ChosenTool[] };

type NamespaceTool = z.output<typeof namespaceTool>;

export type ClientTool = z.output<typeof clientTool>;

function isClientTool(tool: ResponsesTool): tool is ClientTool {
  return clientTool.validate(tool);
}

/** The tools that the client runs itself and that are neither functions nor custom. */
export function clientTools(tools: readonly ResponsesTool[]): ClientTool[] {
  return tools.filter(isClientTool);
}

/** Whether the tool is never offered to a model here. A namespace may contain some that are, or none. */
export function isHosted(tool: ResponsesTool): boolean {
  return !NOT_HOSTED.includes(tool.type) && !isClientTool(tool);
}

const isNamespace = (tool: ResponsesTool): tool is NamespaceTool => tool.type === 'namespace';
const isServed = (tool: ResponsesTool): tool is ServedTool =>
  tool.type === 'function' || tool.type === 'custom';

/** All tools, including those of namespaces. */
export function allTools(
  tools: readonly ResponsesTool[] | null | undefined,
): { tool: Exclude<ResponsesTool, NamespaceTool>; namespace?: string }[] {
  return (tools ?? []).flatMap((tool) =>
    isNamespace(tool) ? tool.tools.map((inner) => ({ tool: inner, namespace: tool.name })) : [{ tool }],
  );
}

/** The tools that are offered to a model. */
export function servedTools(
  tools: readonly ResponsesTool[] | null | undefined,
): { tool: ServedTool; namespace?: string }[] {
  return allTools(tools).flatMap(({ tool, ...named }) => (isServed(tool) ? [{ tool, ...named }] : []));
}

interface ToolFields {
  /** All tools of the request. */
  tools: readonly ResponsesTool[];
  choice: ResponsesToolChoice | null | undefined;
}

const isNamed = (tool: { type: string }): tool is NamedTool => ['function', 'custom'].includes(tool.type);
const isAllowed = (choice: object): choice is { mode: 'auto' | 'required'; tools: { type: string }[] } =>
  'mode' in choice;

/** The client's tools that OpenAI's servers let a request require by type. */
const FORCED = new Set<string>(['shell', 'apply_patch'] satisfies ClientTool['type'][]);

/** The choice, if it is among tools that can be offered to a model here. */
export function servedToolChoice({ tools, choice }: ToolFields): ServedChoice | undefined {
  const ofClient = clientTools(tools);
  const canChoose = servedTools(tools).length > 0 || ofClient.length > 0;
  if (choice == null || (choice !== 'auto' && choice !== 'none' && !canChoose)) return undefined;
  const isChosen = (tool: { type: string }): tool is ChosenTool =>
    isNamed(tool) || ofClient.some(({ type }) => type === tool.type);
  if (typeof choice === 'string' || isNamed(choice)) return choice;
  const forced = ofClient.find((tool) => FORCED.has(tool.type) && tool.type === choice.type);
  if (forced) return { type: forced.type };
  if (choice.type !== 'allowed_tools' || !isAllowed(choice)) return undefined;
  const allowed = choice.tools.filter(isChosen);
  return allowed.length === 0 ? undefined : { type: 'allowed_tools', mode: choice.mode, tools: allowed };
}

/** The problem of `tool_choice` with these tools. */
export function findChoiceMismatch({
  tools,
  choice,
}: ToolFields): { path: (string | number)[]; message: string } | undefined {
  if (choice == null || choice === 'auto' || choice === 'none') return undefined;
  const message = 'must be one of the tools';
  if (choice === 'required')
    return tools.length > 0 ? undefined : { path: ['tool_choice'], message: 'goes with tools only' };
  const served = servedTools(tools);
  const isGiven = ({ type, name }: NamedTool): boolean =>
    served.some(({ tool, namespace }) => namespace === undefined && tool.type === type && tool.name === name);
  if (isNamed(choice)) return isGiven(choice) ? undefined : { path: ['tool_choice', 'name'], message };
  if (choice.type !== 'allowed_tools' || !isAllowed(choice)) return undefined;
  const missing = choice.tools.findIndex((tool) => isNamed(tool) && !isGiven(tool));
  return missing < 0 ? undefined : { path: ['tool_choice', 'tools', missing, 'name'], message };
}
