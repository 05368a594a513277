import type { ServerResponse } from 'node:http';
import { cutWhenStalled, sendJson } from '@farebox/http';
import type { Answer, DocumentAnswer } from './endpoint';

/** Sends what an endpoint answered, in one write. */
export function sendAnswer(res: ServerResponse, answer: Answer): void {
  if ('document' in answer) {
    sendDocument(res, answer);
    return;
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) res.setHeader(name, value);
  sendJson(res, answer.status, answer.body);
}

function sendDocument(res: ServerResponse, { status, document }: DocumentAnswer): void {
  const { mediaType, content, fileName, headers = {} } = document;
  const isText = mediaType.startsWith('text/');
  res.setHeader('content-type', isText ? `${mediaType}; charset=utf-8` : mediaType);
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-length', Buffer.byteLength(content));
  if (fileName !== undefined) res.setHeader('content-disposition', `attachment; filename="${fileName}"`);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.statusCode = status;
  cutWhenStalled(res);
  res.end(content);
}
