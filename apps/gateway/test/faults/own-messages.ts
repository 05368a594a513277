/** Converts a chat server's output to that of a Messages server. Invalid JSON stays unchanged. */

interface Chat {
  error?: { message: string; code: number };
  choices?: { delta?: Said; message?: Said; finish_reason: string | null }[];
  usage?: { prompt_tokens: unknown; completion_tokens: unknown };
}

interface Said {
  role?: string;
  content?: string;
}

export function toMessage(text: string): string {
  const chat = parsed(text);
  if (!chat) return text;
  if (chat.error) return toError(chat.error);
  const said = chat.choices?.[0];
  return JSON.stringify({
    content: [{ type: 'text', text: said?.message?.content }],
    stop_reason: toStopReason(said?.finish_reason),
    usage: toUsage(chat.usage),
  });
}

export function toMessageEvents(data: string): string[] {
  if (data === '[DONE]') return [JSON.stringify({ type: 'message_stop' })];
  const chat = parsed(data);
  if (!chat) return [data];
  if (chat.error) return [toError(chat.error)];
  const said = chat.choices?.[0];
  const { role, content } = said?.delta ?? {};
  const events = [
    ...(role === undefined ? [] : [{ type: 'message_start', message: { role } }]),
    ...(content === undefined
      ? []
      : [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: content } }]),
    ...(said?.finish_reason === null && chat.usage === undefined
      ? []
      : [
          {
            type: 'message_delta',
            delta: { stop_reason: toStopReason(said?.finish_reason) },
            usage: toUsage(chat.usage),
          },
        ]),
  ];
  return events.map((event) => JSON.stringify(event));
}

function parsed(text: string): Chat | undefined {
  try {
    return JSON.parse(text) as Chat;
  } catch {
    return undefined;
  }
}

const toStopReason = (finish: string | null | undefined): string | null =>
  finish === 'stop' ? 'end_turn' : (finish ?? null);

const toUsage = (usage: Chat['usage']): object | undefined =>
  usage && { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens };

const toError = ({ message, code }: { message: string; code: number }): string =>
  JSON.stringify({
    type: 'error',
    error: { type: code === 400 ? 'invalid_request_error' : 'overloaded_error', message },
  });
