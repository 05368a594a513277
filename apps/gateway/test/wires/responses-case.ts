import { responsesEvent, responsesResponse, type ResponsesEvent, type ResponsesResponse } from '@farebox/api';
import type { WireCase, WireResult } from './wire-case';
import { WEATHER } from './weather';

interface Envelope {
  error?: { code: string };
}

export const responsesCase: WireCase = {
  name: 'responses',
  path: '/v1/responses',
  idPrefix: 'resp_',
  body: ({ model, prompt, stream, maxTokens, tool }) => ({
    model,
    input: prompt,
    max_output_tokens: maxTokens,
    ...(stream && { stream }),
    ...(tool && {
      tools: [{ type: 'function', name: 'weather', parameters: WEATHER }],
      tool_choice: 'required',
    }),
  }),
  headers: (secret) => ({ authorization: `Bearer ${secret}` }),
  readWhole(json): WireResult {
    const error = (json as Envelope).error?.code;
    if (error !== undefined) return { id: '', text: '', calls: [], usage: undefined, error, isWhole: false };
    return { ...outcomeShown(responsesResponse.parse(json)), error, isWhole: true };
  },
  readStream(data): WireResult {
    const events = data
      .filter((event) => event !== '[DONE]')
      .map((event) => responsesEvent.parse(JSON.parse(event)));
    expect(events.map(({ sequence_number: at }) => at)).toEqual([...events.keys()]);
    const last = events.findLast((event) => 'response' in event)?.response;
    const isWhole = data.at(-1) === '[DONE]';
    const error = events.find((event) => event.type === 'error')?.code;
    const text = events
      .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
      .join('');
    if (!last || !isWhole) return { id: last?.id ?? '', text, calls: [], usage: undefined, error, isWhole };
    const result = outcomeShown(last);
    expect(result.text).toBe(text);
    expect(last.output).toEqual(itemsDone(events));
    return { ...result, error, isWhole };
  },
  textOf(event) {
    if (event === '[DONE]') return '';
    const result = JSON.parse(event) as { type: string; delta?: string };
    return result.type === 'response.output_text.delta' ? (result.delta ?? '') : '';
  },
  nameOf: (code) => code,
};

/** The finished items according to their last events. */
const itemsDone = (events: readonly ResponsesEvent[]) =>
  events
    .filter((event) => event.type === 'response.output_item.done')
    .toSorted((one, other) => one.output_index - other.output_index)
    .map(({ item }) => item);

function outcomeShown({ id, output, usage }: ResponsesResponse): Omit<WireResult, 'error' | 'isWhole'> {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return {
    id,
    text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    calls: output.flatMap((item) => (item.type === 'function_call' ? [item.name] : [])),
    usage: usage
      ? { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens, cost: usage.cost }
      : undefined,
  };
}
