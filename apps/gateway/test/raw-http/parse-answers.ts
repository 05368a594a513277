import { MalformedAnswer } from './malformed-answer';
import { parseChunked, type ParsedBody } from './parse-body';

/** One answer of a server. Texts have one character per byte. */
export interface ParsedAnswer {
  status: number;
  /** In their order, with lower-case names. */
  headers: (readonly [name: string, value: string])[];
  body: string;
  /** The connection ended before the answer did. */
  isCut: boolean;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]+$/;
/** Allows only header values that this service has reason to send. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;
const ONCE_ONLY = ['content-length', 'transfer-encoding', 'content-type', 'date', 'connection'];
const END_OF_HEAD = '\r\n\r\n';
const NO_BODY = new Set([204, 304]);

/**
 * Parses everything received on a connection as answers to requests with these methods. It is strict: what a
 * tolerant reader accepts is a `MalformedAnswer`, so that no two readers can disagree about an answer. A last
 * answer that ends within its headers is left out: `cutHead` reports it.
 */
export function parseAnswers(
  received: string,
  methods: readonly string[],
): { answers: ParsedAnswer[]; cutHead: string } {
  const answers: ParsedAnswer[] = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (!'HTTP/1.1 '.startsWith(rest.slice(0, 9))) throw new MalformedAnswer('no status line', rest);
      return { answers, cutHead: rest };
    }
    const head = parseHead(rest.slice(0, end));
    rest = rest.slice(end + END_OF_HEAD.length);
    if (head.status === 100) continue;
    const { body, isCut, rest: behind } = parseBody(head, rest, methods[answers.length]);
    answers.push({ ...head, body, isCut });
    rest = behind;
  }
  return { answers, cutHead: '' };
}

/** The only value of a header; undefined if there is none. */
export function headerOf({ headers }: Pick<ParsedAnswer, 'headers'>, name: string): string | undefined {
  return headers.find(([other]) => other === name)?.[1];
}

type Head = Pick<ParsedAnswer, 'status' | 'headers'>;

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const status = STATUS_LINE.exec(first)?.[1];
  if (status === undefined) throw new MalformedAnswer('no status line', first);
  const headers = lines.map((line) => {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new MalformedAnswer('no header', line);
    return [name.toLowerCase(), value] as const;
  });
  for (const name of ONCE_ONLY) {
    if (headers.filter(([other]) => other === name).length > 1) throw new MalformedAnswer('sent twice', name);
  }
  return { status: Number(status), headers };
}

function parseBody(head: Head, rest: string, method: string | undefined): ParsedBody {
  const length = headerOf(head, 'content-length');
  const encoding = headerOf(head, 'transfer-encoding');
  if (length !== undefined && encoding !== undefined) throw new MalformedAnswer('two lengths', length);
  const isOfHead = method === 'HEAD' && (rest === '' || rest.startsWith('HTTP/1.1 '));
  if (isOfHead || NO_BODY.has(head.status)) return { body: '', isCut: false, rest };
  if (encoding !== undefined) {
    if (encoding !== 'chunked') throw new MalformedAnswer('an unknown encoding', encoding);
    return parseChunked(rest);
  }
  if (length === undefined) return untilClosed(head, rest);
  if (!/^\d{1,9}$/.test(length)) throw new MalformedAnswer('no length', length);
  const bytes = Number(length);
  return { body: rest.slice(0, bytes), isCut: rest.length < bytes, rest: rest.slice(bytes) };
}

/** As in HTTP/1.0: only the body itself can show whether it is complete. */
function untilClosed(head: Head, rest: string): ParsedBody {
  if (headerOf(head, 'connection') !== 'close') throw new MalformedAnswer('an answer without an end', rest);
  return { body: rest, isCut: false, rest: '' };
}
