import type { Prompt } from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/contracts';

type Message = ChatCompletionRequest['messages'][number];

/** What of a request becomes tokens of the prompt. */
export function promptOf(request: ChatCompletionRequest): Prompt {
  const texts: string[] = [];
  let images = 0;
  for (const message of request.messages) images += collect(message, texts);
  const definitions: string[] = [];
  if (request.tools) definitions.push(JSON.stringify(request.tools));
  if (request.response_format?.type === 'json_schema')
    definitions.push(JSON.stringify(request.response_format));
  const hasTools = request.tools !== undefined;
  return { texts, definitions, images, messages: request.messages.length, hasTools };
}

/** Adds the texts of a message and answers with its number of images. */
function collect(message: Message, texts: string[]): number {
  let images = 0;
  if ('name' in message && message.name !== undefined) texts.push(message.name);
  if (typeof message.content === 'string') texts.push(message.content);
  else {
    for (const part of message.content ?? []) {
      if (part.type === 'text') texts.push(part.text);
      else if (part.type === 'refusal') texts.push(part.refusal);
      else images++;
    }
  }
  if (message.role === 'assistant') {
    if (message.refusal != null) texts.push(message.refusal);
    if (message.reasoning_content != null) texts.push(message.reasoning_content);
    if (message.tool_calls) texts.push(JSON.stringify(message.tool_calls));
    if (message.function_call) texts.push(JSON.stringify(message.function_call));
  }
  if (message.role === 'tool') texts.push(message.tool_call_id);
  return images;
}
