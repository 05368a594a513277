export interface RequestText {
  method?: string;
  path?: string;
  /** Complete lines. */
  headers?: readonly string[];
  /** One character per byte, as from `toBytes`. Sent with its length, unless it is empty. */
  body?: string;
}

/** A request whose client waits for no other answer, one character per byte. */
export function requestText({
  method = 'POST',
  path = '/v1/chat/completions',
  headers = [],
  body = '',
}: RequestText): string {
  const length = body === '' ? [] : [`Content-Length: ${String(body.length)}`];
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, ...length];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Converts bytes to a text with one character per byte. */
export function toBytes(text: string, encoding: BufferEncoding = 'utf8'): string {
  return Buffer.from(text, encoding).toString('latin1');
}
