import fc from 'fast-check';
import { longRequest, pacedStream, type ChatRequest } from './chat-request';
import { badFraming, goodFraming, type Framing } from './framing';
import { changedHeaders, goodHeaders, type FuzzKeys } from './headers';
import {
  brokenBody,
  changedEmbeddingsJson,
  changedJson,
  changedMessagesJson,
  changedResponsesJson,
  goodBody,
  goodEmbeddingsBody,
  goodMessagesBody,
  goodResponsesBody,
  insert,
  largestBody,
} from './request-body';
import { goodLine, oddLine, type RequestLine } from './request-line';

/** One request, one character per byte. */
export interface FuzzRequest {
  text: string;
  method: string;
  /** Every reader of HTTP/1.1 agrees where it begins and ends. */
  isWellFramed: boolean;
}

interface Parts {
  line: RequestLine;
  headers: string[];
  body: string;
  framing: Framing;
}

const write = ({ line, headers, body, framing }: Parts): string => {
  const framed = framing(body);
  const start = `${line.method} ${line.target} ${line.version}`;
  return `${[start, ...headers, ...framed.headers].join('\r\n')}\r\n\r\n${framed.text}`;
};

/** The answer usually ends the connection: waiting for the end of a kept one takes time. */
const connection = fc.constantFrom<string[]>(...Array.from({ length: 9 }, () => ['Connection: close']), []);

const MESSAGES = { method: 'POST', target: '/v1/messages?beta=true', version: 'HTTP/1.1' };
const RESPONSES = { method: 'POST', target: '/v1/responses', version: 'HTTP/1.1' };
const EMBEDDINGS = { method: 'POST', target: '/v1/embeddings', version: 'HTTP/1.1' };
const COMPLETION = { method: 'POST', target: '/v1/chat/completions', version: 'HTTP/1.1' };

interface Source {
  line: fc.Arbitrary<RequestLine>;
  headers: fc.Arbitrary<string[]>;
  body: fc.Arbitrary<string>;
  framing: fc.Arbitrary<Framing>;
}

const fromParts = (source: Source, isWellFramed: boolean): fc.Arbitrary<FuzzRequest> =>
  fc.tuple(fc.record({ ...source }), connection).map(([parts, closing]) => ({
    text: write({ ...parts, headers: [...parts.headers, ...closing] }),
    method: parts.line.method,
    isWellFramed,
  }));

const byteChange = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('put', 'insert', 'delete'),
  byte: fc.oneof(fc.constantFrom(0, 10, 13, 32, 58, 255), fc.integer({ min: 0, max: 255 })),
});

function changeByte(text: string, { at, kind, byte }: { at: number; kind: string; byte: number }): string {
  const place = at % text.length;
  const inserted = kind === 'delete' ? '' : String.fromCharCode(byte);
  return kind === 'insert'
    ? insert(text, at, inserted)
    : text.slice(0, place) + inserted + text.slice(place + 1);
}

/** A request that is changed at one level, or at none. */
export const fuzzRequest = (keys: FuzzKeys): fc.Arbitrary<FuzzRequest> => {
  const good: Source = { line: goodLine, headers: goodHeaders(keys), body: goodBody, framing: goodFraming };
  const plain = fromParts(good, true);
  const responses = { ...good, line: fc.constant(RESPONSES) };
  const messages = { ...good, line: fc.constant(MESSAGES) };
  const embeddings = { ...good, line: fc.constant(EMBEDDINGS) };
  const inBytes = fc
    .tuple(plain, fc.array(byteChange, { minLength: 1, maxLength: 4 }))
    .map(([{ text, method }, changes]) => ({
      text: changes.reduce(changeByte, text),
      method,
      isWellFramed: false,
    }));
  return fc.oneof(
    { arbitrary: plain, weight: 36 },
    { arbitrary: fromParts({ ...good, body: changedJson }, true), weight: 22 },
    { arbitrary: fromParts({ ...good, body: brokenBody }, true), weight: 8 },
    { arbitrary: fromParts({ ...responses, body: goodResponsesBody }, true), weight: 8 },
    { arbitrary: fromParts({ ...responses, body: changedResponsesJson }, true), weight: 5 },
    { arbitrary: fromParts({ ...messages, body: goodMessagesBody }, true), weight: 8 },
    { arbitrary: fromParts({ ...messages, body: changedMessagesJson }, true), weight: 5 },
    { arbitrary: fromParts({ ...embeddings, body: goodEmbeddingsBody }, true), weight: 4 },
    { arbitrary: fromParts({ ...embeddings, body: changedEmbeddingsJson }, true), weight: 3 },
    { arbitrary: fromParts({ ...good, body: largestBody }, true).map(declareOnly), weight: 1 },
    { arbitrary: fromParts({ ...good, headers: changedHeaders(keys) }, false), weight: 12 },
    { arbitrary: fromParts({ ...good, line: oddLine }, false), weight: 8 },
    { arbitrary: fromParts({ ...good, framing: badFraming }, false), weight: 8 },
    { arbitrary: inBytes, weight: 5 },
  );
};

/**
 * Usually declares the length of four megabytes without sending them: the rest is cut off once the client is
 * asked to stop. With GET the client is not asked, and the next bytes still belong to the body.
 */
function declareOnly(request: FuzzRequest): FuzzRequest {
  if (!request.text.includes('Content-Length: 4194305')) return request;
  return { ...request, text: request.text.slice(0, 20_000), isWellFramed: request.method === 'POST' };
}

/** A valid request that may be repeated. */
export const repeatableRequest = (keys: FuzzKeys): fc.Arbitrary<FuzzRequest> =>
  fromParts(
    {
      line: fc.constant(COMPLETION),
      headers: fc
        .tuple(goodHeaders(keys), fc.uuid())
        .map(([lines, id]) => [
          ...lines.filter((line) => !line.startsWith('Idempotency-Key')),
          `Idempotency-Key: ${id}`,
        ]),
      body: goodBody,
      framing: goodFraming,
    },
    true,
  );

/** A request, usually for a stream of about a second. */
export const streamRequest = (keys: FuzzKeys): fc.Arbitrary<FuzzRequest> => toComplete(keys, pacedStream);

/** A request whose client does not wait for the answer. */
export const requestToLeave = (keys: FuzzKeys): fc.Arbitrary<FuzzRequest> => toComplete(keys, longRequest);

const toComplete = (keys: FuzzKeys, requests: fc.Arbitrary<ChatRequest>): fc.Arbitrary<FuzzRequest> =>
  fromParts(
    {
      line: fc.constant(COMPLETION),
      headers: goodHeaders(keys),
      body: requests.map((request) => Buffer.from(JSON.stringify(request)).toString('latin1')),
      framing: goodFraming,
    },
    true,
  );
