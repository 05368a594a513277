/** The parameters of the function that replaces a custom tool. */
const CUSTOM_PARAMETERS = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** A tool with text input. */
export interface CustomTool {
  description: string | undefined;
  grammar: { syntax: string; definition: string } | undefined;
}

/** Custom tools by their names in chat. */
export type CustomTools = ReadonlyMap<string, CustomTool>;

/** Converts a custom tool to a function: only Responses servers know other tools. */
export function toFunction({ name, description, grammar }: CustomTool & { name: string }) {
  const inWords = grammar && `The input must match this grammar (${grammar.syntax}):\n${grammar.definition}`;
  const told = [description, inWords].filter((text) => text !== undefined).join('\n\n');
  return {
    type: 'function' as const,
    function: { name, description: told, parameters: CUSTOM_PARAMETERS },
  };
}

/** Wraps the input of a custom tool as the arguments of its function. */
export function toFunctionArguments(input: string): string {
  return JSON.stringify({ input });
}

/**
 * Extracts the input of a custom tool from the arguments that a model wrote. If they have another form, all
 * of them are the input.
 */
export function toCustomInput(args: string): string {
  try {
    const { input } = JSON.parse(args) as { input?: unknown };
    return typeof input === 'string' ? input : args;
  } catch {
    return args;
  }
}
