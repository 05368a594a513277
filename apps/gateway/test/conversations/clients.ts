import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { happens, oneOf, textFrom, type Random } from './random';
import { TOOLS } from './random-answer';

/** A conversation as one SDK keeps it: it sends earlier answers back in its own types. */
export interface Conversation {
  /** Asks the model and adds its answer. Throws the SDK's errors. */
  ask(model: string, stream: boolean): Promise<void>;
  /** Adds the next turn: a result for each call, or a user message. */
  goOn(): void;
}

export type StartConversation = (access: { url: string; apiKey: string }, random: Random) => Conversation;

const PNG = 'iVBORw0KGgo=';
const URL_OF_PNG = `data:image/png;base64,${PNG}`;
const MOST_TOKENS = 3_000;
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const MAY_THINK = 0.3;

/** Outputs of tools: empty, with a NUL, and others. */
const resultFrom = (random: Random): string => oneOf(random, ['', 'ELF\0\u0001', textFrom(random), 'fine']);
const saidFrom = (random: Random): string => `${textFrom(random)}?`;

export const startChat: StartConversation = ({ url, apiKey }, random) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: oneOf(random, ['system', 'developer'] as const), content: 'Rules.' },
    { role: 'user', content: 'hi' },
  ];
  const tools = TOOLS.map((name) => ({ type: 'function' as const, function: { name, parameters } }));
  return {
    async ask(model, stream) {
      const body = {
        model,
        messages,
        tools,
        max_completion_tokens: MOST_TOKENS,
        ...(happens(random, MAY_THINK) && { reasoning_effort: 'medium' as const }),
      };
      const { choices } = stream
        ? await client.chat.completions.stream(body).finalChatCompletion()
        : await client.chat.completions.create(body);
      const message = choices[0]?.message;
      if (message) messages.push(message);
    },
    goOn() {
      const last = messages.at(-1);
      const calls = last?.role === 'assistant' ? (last.tool_calls ?? []) : [];
      for (const { id } of calls) {
        const shows = happens(random, 0.2);
        const image = { type: 'image_url', image_url: { url: URL_OF_PNG } };
        const content = shows ? [{ type: 'text', text: 'a' }, image] : resultFrom(random);
        messages.push({ role: 'tool', tool_call_id: id, content } as OpenAI.ChatCompletionToolMessageParam);
      }
      if (calls.length > 0 && happens(random, 0.8)) return;
      const text = { type: 'text' as const, text: saidFrom(random) };
      const image = { type: 'image_url' as const, image_url: { url: URL_OF_PNG } };
      messages.push({ role: 'user', content: happens(random, 0.2) ? [text, image] : text.text });
    },
  };
};

export const startResponses: StartConversation = ({ url, apiKey }, random) => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [
    { role: 'developer', content: 'Rules.' },
    { role: 'user', content: 'hi' },
  ];
  const tools: OpenAI.Responses.Tool[] = [
    { type: 'function', name: 'look', parameters, strict: false },
    happens(random, 0.5)
      ? { type: 'custom', name: 'now' }
      : { type: 'function', name: 'now', parameters, strict: false },
    { type: 'web_search' },
  ];
  let calls: { call_id: string; type: string }[] = [];
  return {
    async ask(model, stream) {
      const body = {
        model,
        input,
        tools,
        store: false,
        max_output_tokens: MOST_TOKENS,
        include: ['reasoning.encrypted_content' as const],
        ...(happens(random, MAY_THINK) && {
          reasoning: { effort: 'medium' as const, summary: oneOf(random, [null, 'auto'] as const) },
        }),
      };
      const { output } = stream
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body);
      input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
      calls = output.flatMap((item) =>
        item.type === 'function_call' || item.type === 'custom_tool_call' ? [item] : [],
      );
    },
    goOn() {
      for (const { call_id, type } of calls) {
        const image = { type: 'input_image' as const, image_url: URL_OF_PNG, detail: 'auto' as const };
        const output = happens(random, 0.2) ? [image] : resultFrom(random);
        input.push({
          type: type === 'function_call' ? 'function_call_output' : 'custom_tool_call_output',
          call_id,
          output,
        });
      }
      if (calls.length > 0 && happens(random, 0.8)) return;
      const text = { type: 'input_text' as const, text: saidFrom(random) };
      const image = { type: 'input_image' as const, image_url: URL_OF_PNG, detail: 'auto' as const };
      input.push({ role: 'user', content: happens(random, 0.2) ? [text, image] : text.text });
    },
  };
};

export const startMessages: StartConversation = ({ url, apiKey }, random) => {
  const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'hi' }];
  const tools: Anthropic.Tool[] = TOOLS.map((name) => ({
    name,
    input_schema: { ...parameters, type: 'object' as const },
  }));
  return {
    async ask(model, stream) {
      const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
      const body = {
        model,
        messages,
        tools,
        system: 'Rules.',
        max_tokens: MOST_TOKENS,
        ...(happens(random, MAY_THINK) && { thinking }),
      };
      const { content } = stream
        ? await client.messages.stream(body).finalMessage()
        : await client.messages.create(body);
      messages.push({ role: 'assistant', content });
    },
    goOn() {
      const last = messages.at(-1)?.content;
      const blocks: Anthropic.ContentBlockParam[] = [];
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PNG };
      for (const block of Array.isArray(last) ? last : []) {
        if (block.type !== 'tool_use') continue;
        const content = happens(random, 0.2) ? [{ type: 'image' as const, source }] : resultFrom(random);
        blocks.push({ type: 'tool_result', tool_use_id: block.id, content, is_error: happens(random, 0.1) });
      }
      if (blocks.length === 0 || happens(random, 0.2)) blocks.push({ type: 'text', text: saidFrom(random) });
      if (happens(random, 0.2)) blocks.push({ type: 'image', source });
      messages.push({ role: 'user', content: blocks });
      if (happens(random, 0.2)) messages.push({ role: 'system', content: saidFrom(random) });
    },
  };
};
