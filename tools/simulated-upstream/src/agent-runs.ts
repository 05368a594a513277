import { z } from 'zod';
import { type ChatRequest, textOf, type Tool } from './chat-request';

/** A call of an agent's tool. */
export interface Run {
  tool: Tool;
  arguments: Record<string, unknown>;
}

const SHELL = /^(?:bash|shell|shell_command|exec_command|run_command|run_shell_command)$/i;
const SEARCH = /^tool_?search$/i;
const ASKED_TO_RUN = /Run this command: `([^`]+)`/;
const ASKED_TO_FIND = /Find this tool: `([^`]+)`/;
const ASKED_AGAIN = 'Run it again.';
const COMMAND_FIELDS = ['command', 'cmd'];
const shellParameters = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})),
  required: z.array(z.string()).optional(),
});

/**
 * The next step: the requested tool is found and used, and then the command is run, and again while its result says
 * so. Undefined if nothing is left, or if the client has no such tool.
 */
export function chooseRun({ tools = [], messages }: ChatRequest): Run | undefined {
  const asked = messages.map(textOf).join('\n');
  const [, command] = ASKED_TO_RUN.exec(asked) ?? [];
  const [, wanted] = ASKED_TO_FIND.exec(asked) ?? [];
  if (command === undefined) return undefined;
  const done = messages.filter(({ role }) => role === 'tool').length;
  const last = messages.findLast(({ role }) => role !== 'system' && role !== 'developer');
  const isAgain = last?.role === 'tool' && textOf(last).includes(ASKED_AGAIN);
  // Some agents stop a model that makes the same call twice.
  if (isAgain) return shell(tools, `${command} # again: ${String(done)}`);
  const before = wanted === undefined ? [] : [search(tools, wanted), use(tools, wanted)];
  return [...before, shell(tools, command)][done];
}

function search(tools: readonly Tool[], wanted: string): Run | undefined {
  const tool = tools.find(({ function: { name } }) => SEARCH.test(name));
  return tool && { tool, arguments: { query: `select:${wanted}` } };
}

function use(tools: readonly Tool[], wanted: string): Run | undefined {
  const tool = tools.find(({ function: { name } }) => name === wanted);
  return tool && { tool, arguments: {} };
}

function shell(tools: readonly Tool[], command: string): Run | undefined {
  const tool = tools.find(({ function: { name } }) => SHELL.test(name));
  if (!tool) return undefined;
  const { properties, required = [] } = shellParameters.parse(tool.function.parameters);
  const field = COMMAND_FIELDS.find((name) => Object.hasOwn(properties, name)) ?? 'command';
  const isList = properties[field]?.['type'] === 'array';
  const described = required.includes('description') ? { description: 'Run the command' } : {};
  return { tool, arguments: { [field]: isList ? ['bash', '-lc', command] : command, ...described } };
}
