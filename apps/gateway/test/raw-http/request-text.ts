export interface RequestText {
  method?: string;
  path?: string;
  /** Whole lines. */
  headers?: readonly string[];
  /** Characters that are bytes, as `toBytes` makes them. Sent with its length, if it is not empty. */
  body?: string;
}

/** A request of a client who waits for no other answer, a character a byte. */
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

/** Bytes as a text in which each of them is a character. */
export function toBytes(text: string, encoding: BufferEncoding = 'utf8'): string {
  return Buffer.from(text, encoding).toString('latin1');
}
