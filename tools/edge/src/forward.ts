import { request, type Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { ApiError } from '@farebox/errors';
import { closeAfterAnswer, createRequestContext, sendError } from '@farebox/http';
import { requestHeaders, responseHeaders } from './forwarded-headers';

/**
 * Passes a request on to `backend` and its answer back, both as they come. If the client goes, the backend's request
 * is cut; if the backend breaks off its answer, so is the client's connection; if it cannot be reached: 503.
 */
export function forward(req: IncomingMessage, res: ServerResponse, backend: URL, agent: Agent): void {
  const backendRequest = request({
    agent,
    host: backend.hostname,
    port: backend.port,
    method: req.method,
    path: req.url,
    headers: requestHeaders(req.method ?? 'GET', req.rawHeaders, req.socket.remoteAddress),
  });
  let answered = false;

  backendRequest.on('response', (answer) => {
    answered = true;
    sendAnswer(answer, req, res);
  });
  backendRequest.on('error', (error) => {
    req.unpipe(backendRequest);
    // A service may answer and close before it has read the whole body: the answer counts.
    if (!answered) refuse(req, res, error);
  });
  res.on('close', () => {
    if (!res.writableFinished) backendRequest.destroy();
  });
  // Not `pipeline`: that would destroy the client's connection before it could be told of a failure.
  req.pipe(backendRequest);
}

function sendAnswer(answer: IncomingMessage, req: IncomingMessage, res: ServerResponse): void {
  const headers = responseHeaders(answer.rawHeaders);
  if (!req.complete) closeAfterAnswer(res);
  res.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
  res.flushHeaders();
  answer.on('error', () => {
    res.destroy();
  });
  answer.pipe(res);
}

function refuse(req: IncomingMessage, res: ServerResponse, cause: Error): void {
  if (res.headersSent || res.destroyed) return;
  createRequestContext(req, res);
  sendError(res, new ApiError('service_unavailable', { cause }));
}
