import { isCustomTool, type CountTokensRequest, type CustomTool, type UserBlock } from '@farebox/api';

type Message = CountTokensRequest['messages'][number];
type ToolResult = Extract<UserBlock, { type: 'tool_result' }>;
type ResultBlock = Exclude<NonNullable<ToolResult['content']>, string>[number];

interface FoundTools {
  tools: CustomTool[];
  messages: Message[];
}

/**
 * Prepares tools for a Messages server when a search introduces them: some are there from the beginning, and
 * a search finds others. Each is introduced once, and its definition is held once. A search that the server
 * would run itself is left out, and without it no tool could be found.
 */
export function withFoundTools({ tools: given, messages }: CountTokensRequest): FoundTools {
  const tools = (given ?? []).filter(isCustomTool);
  const deferred = tools.filter((tool) => tool.defer_loading === true);
  const isSearchedThere = (given ?? []).some(
    (tool) => !isCustomTool(tool) && tool.type.startsWith('tool_search_tool'),
  );
  const canDefer = deferred.length < tools.length && !isSearchedThere;
  const left = new Set(canDefer ? deferred.map(({ name }) => name) : []);
  return {
    tools: canDefer ? tools : tools.map(loaded),
    messages: messages.map((message) => withReferences(message, left)),
  };
}

function loaded(tool: CustomTool): CustomTool {
  const others = { ...tool };
  delete others.defer_loading;
  return others;
}

function withReferences(message: Message, left: Set<string>): Message {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  const content = message.content.map((block) =>
    block.type === 'tool_result' ? withReferencesOf(block, left) : block,
  );
  return { ...message, content };
}

/** A result has only references, or else all of them become texts. */
function withReferencesOf(result: ToolResult, left: Set<string>): ToolResult {
  const { content } = result;
  if (!Array.isArray(content) || !content.some(isReference)) return result;
  const found = new Set(content.flatMap((block) => (isReference(block) ? [block.tool_name] : [])));
  const areAllLeft = found.size === content.length && [...found].every((name) => left.has(name));
  if (!areAllLeft) return { ...result, content: content.map(told) };
  for (const name of found) left.delete(name);
  return result;
}

type Reference = Extract<ResultBlock, { type: 'tool_reference' }>;
const isReference = (block: ResultBlock): block is Reference => block.type === 'tool_reference';

function told(block: ResultBlock): ResultBlock {
  return block.type === 'tool_reference' ? { type: 'text', text: foundToolText(block.tool_name) } : block;
}

/** The text for a model that cannot get a reference. */
export const foundToolText = (name: string): string => `Tool found: ${name}`;

/** The text of a search result for a model that cannot get references. */
export const foundToolsText = (names: readonly string[]): string =>
  names.length === 0 ? 'No tool was found.' : names.map(foundToolText).join('\n');
