import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { chatRequest } from './chat-request';
import { changeJson, toJsonNode, writeJson } from './json-node';
import { jsonChanges } from './odd-json';
import { embeddingsRequest } from './embeddings-request';
import { messagesRequest } from './messages-request';
import { responsesRequest } from './responses-request';

const toBytes = (text: string, encoding: BufferEncoding = 'utf8'): string =>
  Buffer.from(text, encoding).toString('latin1');

/** A body with a chat completion request, one character per byte. */
export const goodBody = chatRequest.map((request) => toBytes(JSON.stringify(request)));

/** Bodies of other wires. */
export const goodResponsesBody = responsesRequest.map((request) => toBytes(JSON.stringify(request)));
export const goodMessagesBody = messagesRequest.map((request) => toBytes(JSON.stringify(request)));
export const goodEmbeddingsBody = embeddingsRequest.map((request) => toBytes(JSON.stringify(request)));

const changed = (requests: fc.Arbitrary<object>): fc.Arbitrary<string> =>
  fc
    .tuple(requests, jsonChanges)
    .map(([request, changes]) => toBytes(writeJson(changeJson(toJsonNode(request), changes))));

/** JSON changed in a few places, or text that is nearly JSON. */
export const changedJson = changed(chatRequest);
export const changedResponsesJson = changed(responsesRequest);
export const changedMessagesJson = changed(messagesRequest);
export const changedEmbeddingsJson = changed(embeddingsRequest);

const LARGEST_BODY_BYTES = 4 * 1024 * 1024;
const LEVELS = [64, 65, 5_000, 100_000];
const BAD_UTF8 = ['\xff', '\xc0\xaf', '\xed\xa0\xbd', '\xf0\x9f', '\0'];

/** Invalid bytes. */
export const brokenBody: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', ' ', 'null', '[]', '"echo"', '7', '{}', '{', 'true', '\x00', '\xff\xfe'),
  fc.constantFrom(...LEVELS).map((levels) => '['.repeat(levels) + ']'.repeat(levels)),
  fc.constantFrom(...LEVELS).map((levels) => '{"a":'.repeat(levels)),
  goodBody.map((body) => toBytes(`\ufeff${body}`)),
  goodBody.map((body) => toBytes(body, 'utf16le')),
  goodBody.map((body) => gzipSync(body).toString('latin1')),
  goodBody.map((body) => body + body),
  fc.tuple(goodBody, fc.nat()).map(([body, length]) => body.slice(0, length % body.length)),
  fc.tuple(goodBody, fc.nat(), fc.constantFrom(...BAD_UTF8)).map(([body, at, bad]) => insert(body, at, bad)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

/** Costly to send, so there are few of them. */
export const largestBody = fc
  .tuple(goodBody, fc.constantFrom(0, 1))
  .map(([body, over]) => body + ' '.repeat(LARGEST_BODY_BYTES + over - body.length));

export function insert(text: string, at: number, inserted: string): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + inserted + text.slice(place);
}
