/** Writes one server-sent event. */
export type Framing = (body: object | '[DONE]', position: number) => string;

function dataOf(body: object | '[DONE]'): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** As every upstream writes it. */
export const plainFraming: Framing = (body) => `data: ${dataOf(body)}\n\n`;

/**
 * Valid by the standard and unusual in all it may be: CRLF line ends, comments, unknown fields, no space after the
 * colon, and an event's data on several lines (a line break stands where JSON allows one).
 */
export const awkwardFraming: Framing = (body, position) => {
  const comment = position % 2 === 0 ? `: keep-alive ${String(position)}\r\n\r\n` : ':\r\n';
  const space = position % 3 === 0 ? '' : ' ';
  const lines =
    typeof body === 'string'
      ? [body]
      : dataOf(body).replace('{"', '{\n"').replace(',"choices":', ',\n"choices":').split('\n');
  const data = lines.map((line) => `data:${space}${line}\r\n`).join('');
  return `${comment}id: ${String(position)}\r\nretry: 3000\r\n${data}\r\n`;
};
