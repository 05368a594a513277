import {
  isServedItem,
  type ChatCompletionRequest,
  type ResponsesAssistantContent,
  type ResponsesContent,
  type ResponsesOutput,
  type ResponsesRequest,
  type ServedItem,
} from '@farebox/api';
import { clientToolOf, toResultText } from '../../upstream/client-tools';
import { foundToolsText } from '../../upstream/found-tools';
import { toFunctionArguments } from '../../upstream/custom-tools';
import { readReasons } from './read-reasons';
import { asksForCompaction, SUMMARISE, toldOfSummary } from './compaction';
import { foundBy, toChatName } from './tools';

type Message = ChatCompletionRequest['messages'][number];
type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type UserPart = Exclude<Extract<Message, { role: 'user' }>['content'], string>[number];
type Called = Pick<Extract<ServedItem, { name: string }>, 'call_id' | 'name' | 'namespace'>;
type ClientCall = Extract<
  ServedItem,
  { type: `${'local_shell' | 'shell' | 'apply_patch' | 'tool_search'}_call` }
>;
type ContentPart = Exclude<ResponsesContent, string>[number];
const isKnown = <Part extends { type: string }>(part: Part): part is Exclude<Part, { type: 'other' }> =>
  part.type !== 'other';

/** Converts the conversation of a request to chat messages. */
export function toMessages(request: ResponsesRequest): Message[] {
  const { instructions, input } = request;
  const conversation = new Conversation();
  if (instructions != null && instructions !== '')
    conversation.say({ role: 'system', content: instructions });
  if (typeof input === 'string') conversation.say({ role: 'user', content: input });
  else for (const item of input.filter(isServedItem)) conversation.take(item);
  if (asksForCompaction(request)) conversation.say({ role: 'user', content: SUMMARISE });
  return conversation.end();
}

/**
 * Assembles items to messages. Consecutive reasoning, text and calls are one assistant message in chat, and
 * model servers require that a call's output follows it.
 */
class Conversation {
  readonly #messages: Message[] = [];
  /** The assistant's next message, still incomplete. */
  #draft: AssistantMessage | undefined;
  /** The signature of the next call. */
  #callSignature: string | undefined;
  /** Calls of tools that OpenAI's clients run. */
  readonly #clientCalls = new Set<string>();
  /** Images and files of outputs: in chat, only a user message can contain them. */
  #attached: UserPart[] = [];

  say(message: Message): void {
    this.#endTurn();
    this.#messages.push(message);
  }

  take(item: ServedItem): void {
    switch (item.type) {
      case 'reasoning':
        this.#addReasons(item);
        return;
      case 'function_call':
        this.#addCall(item, item.arguments);
        return;
      case 'custom_tool_call':
        this.#addCall(item, toFunctionArguments(item.input));
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#addOutput(item.call_id, item.output);
        return;
      case 'compaction':
      case 'compaction_summary': {
        const content = toldOfSummary(item.encrypted_content);
        if (content !== undefined) this.say({ role: 'user', content });
        return;
      }
      case 'local_shell_call':
      case 'shell_call':
      case 'apply_patch_call':
      case 'tool_search_call':
        this.#addClientCall(item);
        return;
      case 'local_shell_call_output':
      case 'shell_call_output':
      case 'apply_patch_call_output':
        this.#addResult(item.call_id ?? item.id ?? '', toResultText(item.output, item.status));
        return;
      case 'tool_search_output':
        this.#addResult(item.call_id ?? '', foundToolsText(foundBy(item.tools)));
        return;
      case 'additional_tools':
        return;
      case 'message':
      case undefined:
        this.#addMessage(item);
    }
  }

  end(): Message[] {
    this.#endTurn();
    return this.#messages;
  }

  #addMessage(item: Extract<ServedItem, { role: string }>): void {
    switch (item.role) {
      case 'assistant':
        this.#addText(item);
        return;
      case 'user':
        this.say({ role: 'user', content: toContent(item.content, toUserPart) });
        return;
      case 'system':
      case 'developer':
        this.say({ role: item.role, content: toContent(item.content, toTextPart) });
    }
  }

  #addText({ content, phase }: Pick<Extract<ServedItem, { role: 'assistant' }>, 'content' | 'phase'>): void {
    const draft = this.#draftWithoutText();
    if (phase != null) draft.phase ??= phase;
    const said = toContent(typeof content === 'string' ? content : content.filter(isKnown), toAssistantPart);
    draft.content = draft.content == null ? said : [...toParts(draft.content), ...toParts(said)];
  }

  #addReasons(item: Extract<ServedItem, { type: 'reasoning' }>): void {
    const { text, detail, callSignature } = readReasons(item);
    this.#callSignature = callSignature ?? this.#callSignature;
    if (text === '' && !detail) return;
    const draft = this.#draftWithoutText();
    const before = draft.reasoning_content;
    if (text !== '') draft.reasoning_content = before == null ? text : `${before}\n${text}`;
    if (detail) draft.reasoning_details = [...(draft.reasoning_details ?? []), detail];
  }

  #addCall({ call_id: id, name, namespace }: Called, args: string): void {
    const draft = this.#draft ?? this.#nextDraft();
    const thought_signature = this.#callSignature;
    this.#callSignature = undefined;
    draft.tool_calls ??= [];
    draft.tool_calls.push({
      id,
      type: 'function',
      ...(thought_signature !== undefined && { extra_content: { google: { thought_signature } } }),
      function: { name: toChatName(name, namespace), arguments: args },
    });
  }

  #addClientCall(item: ClientCall): void {
    const name = clientToolOf(item.type);
    if (!name || item.call_id == null) return;
    const value = 'action' in item ? item.action : 'operation' in item ? item.operation : item.arguments;
    this.#clientCalls.add(item.call_id);
    this.#addCall({ call_id: item.call_id, name }, JSON.stringify(value ?? {}));
  }

  /** Only for a call that is present: the result of a search may come without one. */
  #addResult(id: string, content: string): void {
    if (!this.#clientCalls.has(id)) return;
    this.#endDraft();
    this.#messages.push({ role: 'tool', tool_call_id: id, content });
  }

  #addOutput(id: string, output: ResponsesOutput): void {
    this.#endDraft();
    const parts = typeof output === 'string' ? [] : output.filter(isKnown);
    const attached = parts.filter((part) => part.type !== 'input_text').map(toUserPart);
    const texts = parts.filter((part) => part.type === 'input_text').map(({ text }) => text);
    let content = typeof output === 'string' ? output : texts.join('\n');
    if (attached.length > 0) {
      this.#attached.push({ type: 'text', text: `Attached to the output of ${id}:` }, ...attached);
      if (content === '') content = 'The output is attached to the next message of the user.';
    }
    this.#messages.push({ role: 'tool', tool_call_id: id, content });
  }

  /** A message with calls goes on: no other may stand between a call and its output. */
  #draftWithoutText(): AssistantMessage {
    const draft = this.#draft;
    return draft && (draft.content == null || draft.tool_calls) ? draft : this.#nextDraft();
  }

  #nextDraft(): AssistantMessage {
    this.#endTurn();
    this.#draft = { role: 'assistant' };
    return this.#draft;
  }

  #endDraft(): void {
    const draft = this.#draft;
    this.#draft = undefined;
    // Reasoning alone is not a message.
    if (draft && (draft.content != null || draft.tool_calls)) this.#messages.push(draft);
  }

  #endTurn(): void {
    this.#endDraft();
    if (this.#attached.length > 0) this.#messages.push({ role: 'user', content: this.#attached });
    this.#attached = [];
  }
}

function toContent<Part, Chat>(
  content: string | readonly Part[],
  toPart: (part: Part) => Chat,
): string | Chat[] {
  if (typeof content === 'string') return content;
  return content.length === 0 ? '' : content.map(toPart);
}

type AssistantPart = Exclude<NonNullable<AssistantMessage['content']>, string>[number];

function toParts(content: NonNullable<AssistantMessage['content']>): AssistantPart[] {
  return typeof content === 'string' ? [toTextPart({ text: content })] : content;
}

const toTextPart = ({ text }: { text: string }): { type: 'text'; text: string } => ({ type: 'text', text });

type SaidPart = Exclude<Exclude<ResponsesAssistantContent, string>[number], { type: 'other' }>;

function toAssistantPart(part: SaidPart): AssistantPart {
  return part.type === 'refusal' ? part : toTextPart(part);
}

function toUserPart(part: ContentPart): UserPart {
  switch (part.type) {
    case 'input_text':
      return toTextPart(part);
    case 'input_image': {
      const { image_url: url, detail } = part;
      // Chat has no detail above "high".
      return { type: 'image_url', image_url: { url, detail: detail === 'original' ? 'high' : detail } };
    }
    case 'input_file': {
      const { file_data, filename } = part;
      return { type: 'file', file: { file_data, filename } };
    }
  }
}
