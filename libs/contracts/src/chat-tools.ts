import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from './fields';
import { maybe } from './chat-messages';

type Fields = Readonly<Record<string, unknown>>;

/** Keywords whose value is data, in which `$ref` means nothing. */
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'examples']);

/**
 * A JSON Schema that a client sends: of a tool's parameters, or of the response. It may be recursive, but every `$ref`
 * must lead to a schema inside the document: one that leads elsewhere could make an upstream fetch it, and one that
 * leads only to further references describes nothing.
 */
export const jsonSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const problem = findReferenceProblem(schema, { root: schema, ending: new Set() });
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

interface Document {
  root: Fields;
  /** References that are known to lead to a schema: each is followed once, however many lead to it. */
  ending: Set<Fields>;
}

function findReferenceProblem(value: unknown, document: Document): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isReference(value)) {
    const problem = problemOf(value, document);
    if (problem !== undefined) return problem;
  }
  for (const [keyword, member] of Object.entries(value)) {
    const problem = DATA_KEYWORDS.has(keyword) ? undefined : findReferenceProblem(member, document);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Follows a reference to the schema that it stands for. */
function problemOf(start: Reference, { root, ending }: Document): string | undefined {
  const followed = new Set<Fields>();
  let schema: unknown = start;
  while (isReference(schema) && !ending.has(schema)) {
    if (!schema.$ref.startsWith('#')) return 'must not have a "$ref" to another document';
    if (followed.has(schema)) return 'must not have a "$ref" that leads back to itself';
    followed.add(schema);
    schema = resolve(schema.$ref, root);
  }
  for (const reference of followed) ending.add(reference);
  return undefined;
}

/** What a reference inside the document leads to; undefined if there is nothing, or if it is no pointer. */
function resolve(reference: string, root: Fields): unknown {
  const [start, ...steps] = reference.split('/');
  if (start !== '#') return undefined;
  let found: unknown = root;
  for (const step of steps) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Fields)[key];
  }
  return found;
}

type Reference = Fields & { $ref: string };

function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string';
}

/** The name of a function, and of a response's schema. */
export const functionName = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_-]{1,${String(CHAT_REQUEST_LIMITS.nameLength)}}$`),
    `must be 1 to ${String(CHAT_REQUEST_LIMITS.nameLength)} letters, digits, _ or -`,
  );

const tool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: functionName,
    description: maybe(z.string()),
    parameters: maybe(jsonSchema),
    strict: z.boolean().nullish(),
  }),
});

export const tools = z.array(tool).max(CHAT_REQUEST_LIMITS.tools);

export const toolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.object({ type: z.literal('function'), function: z.object({ name: functionName }) }),
  ],
  'must be "none", "auto", "required" or a function of the tools',
);

interface ToolFields {
  tools?: z.output<typeof tools> | null | undefined;
  tool_choice?: z.output<typeof toolChoice> | null | undefined;
  parallel_tool_calls?: boolean | null | undefined;
}

/**
 * Which field speaks of tools that the request does not have, and what is wrong with it. Beside an empty list of tools,
 * libraries still say that none need be called.
 */
export function findToolMismatch({
  tools: given,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ToolFields): { path: string[]; message: string } | undefined {
  if (!given?.length) {
    if (given && typeof choice === 'string' && choice !== 'required') return undefined;
    if (choice != null) return { path: ['tool_choice'], message: 'goes with tools only' };
    if (parallel != null && !given) return { path: ['parallel_tool_calls'], message: 'goes with tools only' };
    return undefined;
  }
  if (choice == null || typeof choice !== 'object') return undefined;
  const isGiven = given.some(({ function: { name } }) => name === choice.function.name);
  return isGiven
    ? undefined
    : { path: ['tool_choice', 'function', 'name'], message: 'must be one of the tools' };
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
