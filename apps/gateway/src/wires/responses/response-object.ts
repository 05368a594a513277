import {
  isHosted,
  servedToolChoice,
  toolsOf,
  type CompletionUsage,
  type ResponsesRequest,
  type ResponsesResponse,
  type ResponsesUsage,
} from '@farebox/api';
import { byTokenColumnOf } from '@farebox/money';
import type { AnswerIdentity } from '../../chat/completion';

type Known = 'id' | 'created_at' | 'model' | 'status' | 'output' | 'usage' | 'error' | 'incomplete_details';

/** The fields of a request that its response repeats, in three events of a stream. */
export type Echo = Omit<ResponsesResponse, Known>;

/**
 * Length as JSON, and number of values. Longer instructions, tools and schemas are not repeated: writing them three
 * times would block others.
 */
const LONGEST_ECHO = 65_536;
const MOST_ECHOED = 4_096;

function isShort(said: unknown): boolean {
  return mayBeShort(said) && JSON.stringify([said]).length <= LONGEST_ECHO;
}

/** The quotes of a name, the colon and a comma. */
const AROUND_MEMBER = 4;

/** Stops where JSON would go on. */
function mayBeShort(said: unknown): boolean {
  const values = [said];
  let left = LONGEST_ECHO;
  // The list grows meanwhile.
  for (const value of values) {
    if (typeof value === 'string') left -= value.length;
    else if (typeof value !== 'object' || value === null) left--;
    else {
      const names = Object.keys(value);
      if (values.length + names.length > MOST_ECHOED) return false;
      for (const name of names) {
        if (!Array.isArray(value)) left -= name.length + AROUND_MEMBER;
        values.push((value as Record<string, unknown>)[name]);
      }
    }
    if (left < 0) return false;
  }
  return true;
}

export function toEcho(request: ResponsesRequest): Echo {
  const { text, reasoning, instructions } = request;
  const brought = toolsOf(request);
  const tools = brought.filter((tool) => !isHosted(tool)).map(toToolEcho);
  return {
    object: 'response',
    completed_at: null,
    instructions: isShort(instructions) ? (instructions ?? null) : null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    frequency_penalty: request.frequency_penalty ?? 0,
    presence_penalty: request.presence_penalty ?? 0,
    top_logprobs: request.top_logprobs ?? 0,
    reasoning: { effort: reasoning?.effort ?? null, summary: summaryOf(request) },
    text: { format: toFormatEcho(text?.format), verbosity: text?.verbosity ?? 'medium' },
    tools: isShort(tools) ? tools : [],
    tool_choice: servedToolChoice({ tools: brought, choice: request.tool_choice }) ?? 'auto',
    truncation: 'disabled',
    previous_response_id: null,
    background: false,
    store: false,
    service_tier: 'default',
    ...(request.user == null ? {} : { user: request.user }),
    safety_identifier: request.safety_identifier ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
  };
}

type Format = NonNullable<ResponsesRequest['text']>['format'];

function toFormatEcho(format: Format): Echo['text']['format'] {
  if (format?.type !== 'json_schema') return format ?? { type: 'text' };
  return isShort(format.schema) ? format : { ...format, schema: {} };
}

/** The summary of reasoning that was requested. */
export function summaryOf({ reasoning }: ResponsesRequest): 'auto' | 'concise' | 'detailed' | null {
  const summary = reasoning?.summary ?? reasoning?.generate_summary;
  return summary == null || summary === 'none' ? null : summary;
}

function toToolEcho(tool: Extract<Echo['tools'][number], object>): Echo['tools'][number] {
  if (tool.type !== 'function') return tool;
  const { parameters = null, strict = null, description = null } = tool as Record<string, unknown>;
  return { ...tool, description, parameters, strict };
}

/** `chatcmpl-018f…`: the common part of all ids of a response. */
export function idBodyOf({ id }: AnswerIdentity): string {
  return id.slice(id.indexOf('-') + 1);
}

const NOTHING = {
  prompt: byTokenColumnOf('prompt', () => 0),
  completion: byTokenColumnOf('completion', () => 0),
};

export function toUsage(usage: CompletionUsage): ResponsesUsage {
  const { prompt_tokens, completion_tokens, total_tokens, cost } = usage;
  // Clients of this API require them, even if the upstream reports none.
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: usage.prompt_tokens_details ?? NOTHING.prompt,
    output_tokens: completion_tokens,
    output_tokens_details: usage.completion_tokens_details ?? NOTHING.completion,
    total_tokens,
    cost,
  };
}
