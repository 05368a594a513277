import {
  toMessagesError,
  type CompletionUsage,
  type CreatedMessage,
  type MessageBlock,
  type MessageEvent,
  type MessageUsage,
} from '@farebox/api';
import { writeJsonInTurns } from '@farebox/flow';
import type { Choice } from '../../upstream/answers';
import { partsInOrder } from '../../upstream/said-order';
import { toArgumentsObject } from '../../upstream/tool-arguments';
import type { AnswerIdentity } from '../../chat/completion';
import { sealOfCall } from '../../upstream/seals';
import { toEvent, type ResponseWriter } from '../wire';
import { MessageStream, toCitation, toStop } from './message-stream';
import { toToolUseId } from './tool-ids';

/** Writes one response. Only its first choice is written: a request for a message asks for no other. */
export function createMessageWriter(): ResponseWriter {
  const stream = new MessageStream();
  return {
    heartbeat: writeEvents([{ type: 'ping' }]),
    toWhole(of, choices, usage, written) {
      const message = toMessage(of, choices[0], usage);
      return written ? writeJsonInTurns(message, written) : JSON.stringify(message);
    },
    toChunk(of, choices) {
      const events = stream.hasBegun ? [] : stream.begin(startOf(of));
      for (const choice of choices) if (choice.index === 0) events.push(...stream.say(choice));
      return writeEvents(events);
    },
    toEnd(of, usage) {
      const begin = stream.hasBegun ? [] : stream.begin(startOf(of));
      return writeEvents([...begin, ...stream.end(toMessageUsage(usage))]);
    },
    toFailure: (error) => writeEvents([toMessagesError(error)]),
  };
}

function writeEvents(events: readonly MessageEvent[]): string {
  let text = '';
  for (const event of events) text += toEvent(event, event.type);
  return text;
}

/** `msg_…` over the id that every wire gives the same completion. */
function toMessageId(completionId: string): string {
  return `msg_${completionId.slice(completionId.indexOf('-') + 1)}`;
}

/** The prompt's tokens are only known at the end, when the model's server has counted them. */
const NOTHING_USED: MessageUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

const NOTHING_CACHED = { cached_tokens: 0, cache_write_tokens: 0 };

function startOf({ id, model }: AnswerIdentity): CreatedMessage {
  return {
    id: toMessageId(id),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: NOTHING_USED,
  };
}

function toMessage(of: AnswerIdentity, choice: Choice | undefined, usage: CompletionUsage): CreatedMessage {
  return {
    ...startOf(of),
    content: choice ? partsInOrder(choice).flatMap(({ message }) => toBlocks(message)) : [],
    ...toStop({
      finish: choice?.finish_reason,
      stopSequence: choice?.stop_sequence,
      hasCalls: (choice?.message.tool_calls?.length ?? 0) > 0,
      isRefusal: choice?.message.refusal != null,
    }),
    usage: toMessageUsage(usage),
  };
}

function toBlocks(message: Choice['message']): MessageBlock[] {
  const {
    content,
    refusal,
    reasoning_content: reasoning,
    reasoning_details: details,
    tool_calls: calls,
    annotations = [],
  } = message;
  const blocks: MessageBlock[] = [];
  for (const detail of details ?? []) {
    if (detail.type === 'reasoning.encrypted') blocks.push({ type: 'redacted_thinking', data: detail.data });
    else blocks.push({ type: 'thinking', thinking: detail.text ?? '', signature: detail.signature });
  }
  const hasThinking = blocks.some(({ type }) => type === 'thinking');
  if (reasoning && !hasThinking) blocks.unshift({ type: 'thinking', thinking: reasoning, signature: '' });
  if (content || annotations.length > 0) {
    const citations = annotations.length > 0 && { citations: annotations.map(toCitation) };
    blocks.push({ type: 'text', text: content ?? '', ...citations });
  }
  if (refusal) blocks.push({ type: 'text', text: refusal });
  for (const { id, extra_content: extra, function: called } of calls ?? []) {
    if (extra) blocks.push({ type: 'redacted_thinking', data: sealOfCall(extra.google.thought_signature) });
    const input = toInput(called.arguments);
    blocks.push({ type: 'tool_use', id: toToolUseId(id), name: called.name, input });
  }
  return blocks;
}

/** Arguments that are not an object are passed on unchanged, under a name that says so. */
function toInput(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  return toArgumentsObject(text) ?? { arguments: text };
}

function toMessageUsage(usage: CompletionUsage): MessageUsage {
  const { prompt_tokens, completion_tokens, cost } = usage;
  const { cached_tokens: read, cache_write_tokens: written } = usage.prompt_tokens_details ?? NOTHING_CACHED;
  const thinking_tokens = usage.completion_tokens_details?.reasoning_tokens;
  return {
    input_tokens: prompt_tokens - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: completion_tokens,
    ...(thinking_tokens !== undefined && { output_tokens_details: { thinking_tokens } }),
    cost,
  };
}
