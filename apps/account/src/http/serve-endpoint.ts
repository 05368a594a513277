import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor, ApiKeyIdentity, Caller, SessionIdentity } from '@farebox/accounts';
import { readApiKeySecret, requireAccess, requireLiveKey, requireSession } from '@farebox/auth';
import type { Turns } from '@farebox/flow';
import {
  callerOf,
  cutWhenSlow,
  networkOf,
  onceResponseEnds,
  readJsonBody,
  sendJson,
  sendJsonText,
  sendPieces,
  type BodyRoom,
  type RequestBodies,
  type UnwrittenResponses,
} from '@farebox/http';
import type { Request, Response } from 'express';
import { isLong, toJson } from './csv';
import type {
  Answer,
  DocumentAnswer,
  Download,
  Endpoint,
  KeyEndpoint,
  MediaType,
  OpenEndpoint,
  WholeAnswer,
} from './endpoint';

/** Data that middlewares pass on. */
export interface Locals extends Record<string, unknown> {
  requestId: string;
  startedAtMs: number;
  accountId?: string;
  /** Set for responses without an Express route. */
  route?: string;
}

const BODY_LIMITS = { maxBytes: 64 * 1024, maxDepth: 64, maxValues: 8_192 };
const JSON_ALONE: readonly MediaType[] = ['application/json'];

/** Shared by all requests of the process. */
export interface Memory {
  bodies: RequestBodies;
  responses: UnwrittenResponses;
}

export type FindSession = (token: string) => Promise<SessionIdentity | undefined>;
export type FindApiKey = (secret: string) => Promise<ApiKeyIdentity | undefined>;

/**
 * Queues per owner, separate for credentials and accounts, so that an account alone does not count as its session's
 * neighbour.
 */
export interface RequestTurns {
  credentials: Turns;
  accounts: Turns;
  /** Long downloads of an account, which last as long as their clients read. */
  downloads: Turns;
}

/**
 * Serves one endpoint: checks session and invite from the headers alone, then reads the body, then calls the
 * endpoint.
 */
export function serveEndpoint(
  endpoint: Endpoint,
  findSession: FindSession,
  turns: RequestTurns,
  memory: Memory,
  consoleOrigins: readonly string[],
) {
  const rules = { needsAccess: endpoint.needsAccess, consoleOrigins };
  const produces = endpoint.produces ?? JSON_ALONE;
  const findInTurn: FindSession = (token) => turns.credentials.take(token, () => findSession(token));
  return async (req: Request, res: Response<unknown, Locals>): Promise<void> => {
    const session = await requireSession(req, findInTurn, rules);
    res.locals.accountId = session.accountId;
    if (produces.length > 1) res.setHeader('vary', 'Accept');
    const room = roomOf(memory, session.accountId, res);
    const request = {
      sessionId: session.sessionId,
      accountId: session.accountId,
      deviceId: session.deviceId,
      actor: actorOf(session, callerOf(req)),
      now: session.now,
      params: req.params,
      query: req.query,
      body: await readBody(endpoint.body, req, room),
      wants: wantedOf(produces, req),
    };
    const inTurn: InTurn = (work) => turns.accounts.take(session.accountId, work);
    const download = await inTurn(async () => {
      // Skip the work if the client left while waiting.
      if (res.destroyed) return undefined;
      const answer = await endpoint.handle(request);
      if (isDownload(answer)) return answer;
      await sendAnswer(res, answer);
      return undefined;
    });
    if (download) await turns.downloads.take(session.accountId, () => sendDownload(res, download, inTurn));
    memory.responses.follow(res, session.accountId);
  };
}

/** Serves one endpoint that accepts a session or an API key. A request with a key needs no session. */
export function serveKeyEndpoint(
  endpoint: KeyEndpoint,
  { findSession, findApiKey }: { findSession: FindSession; findApiKey: FindApiKey },
  { credentials, accounts }: RequestTurns,
  memory: Memory,
) {
  const requireKeyOrSession = async (req: Request): Promise<{ accountId: string; apiKeyId?: string }> => {
    const secret = readApiKeySecret(req);
    if (secret === undefined)
      return requireSession(req, (token) => credentials.take(token, () => findSession(token)));
    const found = await credentials.take(secret, () => findApiKey(secret));
    const key = requireLiveKey(found, req.headers.origin);
    requireAccess(key);
    return key;
  };
  return async (req: Request, res: Response<unknown, Locals>): Promise<void> => {
    const { accountId, apiKeyId } = await requireKeyOrSession(req);
    res.locals.accountId = accountId;
    const request = { accountId, apiKeyId, params: req.params };
    await accounts.take(accountId, async () => {
      if (!res.destroyed) await sendAnswer(res, await endpoint.handle(request));
    });
    memory.responses.follow(res, accountId);
  };
}

/** The memory for a request's body, until its response has ended. */
function roomOf({ bodies }: Memory, owner: string, res: ServerResponse): BodyRoom {
  const room = bodies.roomFor(owner);
  onceResponseEnds(res, () => {
    room.leave();
  });
  return room;
}

function actorOf({ deviceId, sessionId }: SessionIdentity, caller: Caller): Actor {
  return deviceId === null
    ? { kind: 'session', id: sessionId, caller }
    : { kind: 'device', id: deviceId, caller };
}

/** Serves one endpoint without a session. Its memory is counted for the client's network. */
export function serveOpenEndpoint(endpoint: OpenEndpoint, memory: Memory) {
  return async (req: Request, res: Response): Promise<void> => {
    const owner = networkOf(req.ip);
    await sendAnswer(res, await endpoint.handle(req, roomOf(memory, owner, res)));
    memory.responses.follow(res, owner);
  };
}

/** JSON, which comes first, is the default, also if the client accepts none of the media types. */
function wantedOf(produces: readonly MediaType[], req: Request): MediaType {
  const accepted = req.accepts([...produces]);
  return produces.find((mediaType) => mediaType === accepted) ?? 'application/json';
}

async function readBody(expected: Endpoint['body'], req: IncomingMessage, room: BodyRoom): Promise<unknown> {
  if (expected === 'none' || (expected === 'optional' && !hasBody(req))) return undefined;
  return readJsonBody(req, BODY_LIMITS, room);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Sends the result of an endpoint in one write. */
async function sendAnswer(res: ServerResponse, answer: WholeAnswer): Promise<void> {
  if ('document' in answer) {
    sendDocument(res, answer);
    return;
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) res.setHeader(name, value);
  if ('body' in answer) {
    // As bytes: Node writes a string of 170 KB through a copy, which takes three times as long.
    if (isLong(answer.body)) sendJsonText(res, answer.status, await toJson(answer.body));
    else sendJson(res, answer.status, answer.body);
  } else sendEmpty(res, answer.status);
}

function sendEmpty(res: ServerResponse, status: number): void {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-length', 0);
  res.statusCode = status;
  res.end();
}

function sendDocument(res: ServerResponse, { status, document }: DocumentAnswer): void {
  setDocumentHead(res, status, document);
  res.setHeader('content-length', Buffer.byteLength(document.content));
  res.end(document.content);
  cutWhenSlow(res);
}

function setDocumentHead(
  res: ServerResponse,
  status: number,
  { mediaType, fileName, headers = {} }: Omit<DocumentAnswer['document'], 'content'>,
): void {
  const isText = mediaType.startsWith('text/');
  res.setHeader('content-type', isText ? `${mediaType}; charset=utf-8` : mediaType);
  res.setHeader('cache-control', 'no-store');
  if (fileName !== undefined) res.setHeader('content-disposition', `attachment; filename="${fileName}"`);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.statusCode = status;
}

/** Runs work when it is the account's turn. */
type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

function isDownload(answer: Answer): answer is Download {
  if (!('document' in answer)) return false;
  const { content } = answer.document;
  return typeof content !== 'string' && !Buffer.isBuffer(content);
}

/** Waits for the client outside of its account's turns: only the making of each piece takes one. */
async function sendDownload(
  res: ServerResponse,
  { status, document }: Download,
  inTurn: InTurn,
): Promise<void> {
  if (res.destroyed) return;
  setDocumentHead(res, status, document);
  if (res.req.method === 'HEAD') res.end();
  else await sendPieces(res, piecesInTurns(document.content, inTurn));
}

async function* piecesInTurns(pieces: AsyncIterable<string>, inTurn: InTurn): AsyncGenerator<string> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inTurn(() => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
