import { MalformedAnswer } from './malformed-answer';

export interface ParsedBody {
  body: string;
  isCut: boolean;
  /** The bytes after the body. */
  rest: string;
}

const SIZE_LINE = /^[0-9a-f]{1,8}$/i;
const LINE_END = '\r\n';

/** A chunked body, without extensions and trailers. */
export function parseChunked(text: string): ParsedBody {
  let body = '';
  let rest = text;
  for (;;) {
    const end = rest.indexOf(LINE_END);
    if (end < 0) {
      if (!/^[0-9a-f]{0,8}\r?$/i.test(rest)) throw new MalformedAnswer('no chunk size', rest);
      return { body, isCut: true, rest: '' };
    }
    const sizeLine = rest.slice(0, end);
    if (!SIZE_LINE.test(sizeLine)) throw new MalformedAnswer('no chunk size', rest);
    const size = Number.parseInt(sizeLine, 16);
    const start = end + LINE_END.length;
    const chunk = rest.slice(start, start + size);
    const behind = rest.slice(start + size, start + size + LINE_END.length);
    if (!LINE_END.startsWith(behind)) throw new MalformedAnswer('a chunk that is too long', behind);
    body += chunk;
    if (chunk.length < size || behind.length < LINE_END.length) return { body, isCut: true, rest: '' };
    rest = rest.slice(start + size + LINE_END.length);
    if (size === 0) return { body, isCut: false, rest };
  }
}
