import { toArgumentsObject } from './tool-arguments';

/**
 * OpenAI's tools that the client runs. Responses servers know them; others get a function of the same name,
 * whose arguments are the content of the call's `field`.
 */
interface Kind {
  item: 'local_shell_call' | 'shell_call' | 'apply_patch_call' | 'tool_search_call';
  output: string;
  field: 'action' | 'operation' | 'arguments';
  description: string;
  parameters: object;
}

const text = { type: 'string' };
const command = { type: 'array', items: text };
const milliseconds = { type: 'integer', description: 'Milliseconds.' };

const schema = (properties: object, required: readonly string[]): object => ({
  type: 'object',
  properties,
  required,
});

export const CLIENT_TOOLS = {
  local_shell: {
    item: 'local_shell_call',
    output: 'local_shell_call_output',
    field: 'action',
    description: 'Runs a command on the machine of the user, and tells its output.',
    parameters: schema(
      {
        command: { ...command, description: 'The command and its arguments.' },
        working_directory: text,
        timeout_ms: milliseconds,
      },
      ['command'],
    ),
  },
  shell: {
    item: 'shell_call',
    output: 'shell_call_output',
    field: 'action',
    description: 'Runs commands of a shell on the machine of the user, and tells their output.',
    parameters: schema(
      { commands: command, timeout_ms: milliseconds, max_output_length: { type: 'integer' } },
      ['commands'],
    ),
  },
  apply_patch: {
    item: 'apply_patch_call',
    output: 'apply_patch_call_output',
    field: 'operation',
    description:
      'Creates, changes or deletes a file. A diff has lines that begin with " ", "+" or "-", and "@@" between parts.',
    parameters: schema(
      { type: { enum: ['create_file', 'update_file', 'delete_file'] }, path: text, diff: text },
      ['type', 'path'],
    ),
  },
  tool_search: {
    item: 'tool_search_call',
    output: 'tool_search_output',
    field: 'arguments',
    description: 'Finds tools that can be called from then on.',
    parameters: schema({ query: text }, ['query']),
  },
} as const satisfies Record<string, Kind>;

export type ClientToolName = keyof typeof CLIENT_TOOLS;

/** The client tools in a conversation. */
export interface ClientTools {
  /** The definitions from the request. */
  tools: ReadonlyMap<ClientToolName, object>;
  /** The chat names of the tools that a search found, by its call. */
  found: ReadonlyMap<string, readonly string[]>;
}

const NAMES = new Map(
  (Object.entries(CLIENT_TOOLS) as [ClientToolName, Kind][]).map(([name, { item }]) => [
    item as string,
    name,
  ]),
);

/** The tool that an item calls. */
export function clientToolOf(item: unknown): ClientToolName | undefined {
  return typeof item === 'string' ? NAMES.get(item) : undefined;
}

/**
 * Converts function arguments to the part of an item that calls the tool. A model may write anything there.
 */
export function toClientCall(name: ClientToolName, args: string) {
  const asked = toArgumentsObject(args) ?? {};
  switch (name) {
    case 'local_shell':
      return { type: 'local_shell_call' as const, action: toExec(asked) };
    case 'shell': {
      const { commands, timeout_ms, max_output_length } = asked;
      const limits = { timeout_ms: toNumber(timeout_ms), max_output_length: toNumber(max_output_length) };
      return {
        type: 'shell_call' as const,
        action: { commands: toTexts(commands), ...limits },
        environment: null,
      };
    }
    case 'apply_patch':
      return { type: 'apply_patch_call' as const, operation: toOperation(asked) };
    case 'tool_search':
      return { type: 'tool_search_call' as const, execution: 'client' as const, arguments: asked };
  }
}

type Fields = Record<string, unknown>;

const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const toTexts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : (Array.isArray(value) ? value : []).filter((one) => typeof one === 'string');

function toExec({ command: asked, env, timeout_ms, user, working_directory }: Fields) {
  const variables = Object.entries(typeof env === 'object' && env !== null ? env : {});
  return {
    type: 'exec' as const,
    command: toTexts(asked),
    env: Object.fromEntries(
      variables.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    ...(typeof timeout_ms === 'number' && { timeout_ms }),
    ...(typeof user === 'string' && { user }),
    ...(typeof working_directory === 'string' && { working_directory }),
  };
}

function toOperation({ type, path, diff }: Fields) {
  const file = { path: toText(path) ?? '' };
  if (type === 'delete_file') return { type: 'delete_file' as const, ...file };
  const changed = { ...file, diff: toText(diff) ?? '' };
  if (type === 'create_file') return { type: 'create_file' as const, ...changed };
  return { type: 'update_file' as const, ...changed };
}

/** Converts the text of a result in chat to the result of a call: the reverse of `toResultText`. */
export function toClientOutput(name: ClientToolName, said: string): Record<string, unknown> {
  const { output: type } = CLIENT_TOOLS[name];
  if (name === 'local_shell') return { type, output: said };
  const told = parsed(said);
  if (name === 'shell') {
    const only = { stdout: said, stderr: '', outcome: { type: 'exit', exit_code: 0 } };
    return { type, output: Array.isArray(told) ? told : [only] };
  }
  const { status, output } = (told ?? {}) as { status?: unknown; output?: unknown };
  if (status === 'completed' || status === 'failed')
    return { type, status, ...(typeof output === 'string' && { output }) };
  return { type, status: 'completed', output: said };
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

/** The result of a call as a text. */
export function toResultText(output: unknown, status?: string | null): string {
  if (status === 'failed') return JSON.stringify({ status, output });
  return typeof output === 'string' ? output : JSON.stringify(output ?? '');
}
