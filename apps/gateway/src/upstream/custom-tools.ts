/** The parameters of a function in place of a custom tool. */
const CUSTOM_PARAMETERS = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** A tool whose input is a text. */
export interface CustomTool {
  description: string | undefined;
  grammar: { syntax: string; definition: string } | undefined;
}

/** By their names in chat. */
export type CustomTools = ReadonlyMap<string, CustomTool>;

/** A custom tool as a function: only servers of Responses know others. */
export function toFunction({ name, description, grammar }: CustomTool & { name: string }) {
  const inWords = grammar && `The input must match this grammar (${grammar.syntax}):\n${grammar.definition}`;
  const told = [description, inWords].filter((text) => text !== undefined).join('\n\n');
  return {
    type: 'function' as const,
    function: { name, description: told, parameters: CUSTOM_PARAMETERS },
  };
}

/** The input of a custom tool as its function takes it. */
export function toFunctionArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The input of a custom tool, of what a model called its function with: if that is something else, all of it. */
export function toCustomInput(args: string): string {
  try {
    const { input } = JSON.parse(args) as { input?: unknown };
    return typeof input === 'string' ? input : args;
  } catch {
    return args;
  }
}
