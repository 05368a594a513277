import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { allowsOrigin, type ApiKeyIdentity } from '@farebox/accounts';
import { ApiError } from '@farebox/errors';
import {
  readJsonBodyWithBytes,
  type JsonBodyLimits,
  type RequestContext,
  type ResponseHead,
} from '@farebox/http';
import type { Span } from '@farebox/observability';
import {
  requireInvite,
  requireLive,
  requireOrigin,
  type Caller,
  type KeyDirectory,
} from '../identity/api-keys';
import { RefusalError, toRefusal } from '../refusals';
import type { RequestProgress } from '../uncharged/request-progress';
import { completeChat, type CompleteChatDeps, type ReadRequest } from '../use-cases/complete-chat';
import { ResponseChannel, type ChannelTimes } from './response-channel';
import type { Wire } from './wire';

export interface PaidRequestsDeps extends CompleteChatDeps {
  keys: KeyDirectory;
  bodyLimits: JsonBodyLimits;
  channelTimes: ChannelTimes;
}

/** An endpoint whose requests cost money. */
export interface PaidEndpoint extends Pick<Wire, 'path' | 'readSecret' | 'toErrorBody'> {
  /** If its requests may have more values than others'. */
  maxValues?: number;
  /**
   * Reads a body, and answers with what gives the response. Throws `invalid_request_error`, with a `param` in the words of
   * the endpoint's clients.
   */
  read(value: unknown): ServePaidRequest;
}

type ServePaidRequest = (
  deps: PaidRequestsDeps,
  request: ReadRequest,
  res: ServerResponse,
  head: ResponseHead,
) => Promise<void>;

/** Completions, as the clients of a wire ask for them. */
export function completionsBy(wire: Wire): PaidEndpoint {
  return {
    path: wire.path,
    readSecret: (req) => wire.readSecret(req),
    toErrorBody: wire.toErrorBody,
    read(value) {
      const asked = wire.read(value);
      return (deps, request, res, head) =>
        completeChat(deps, request, asked, new ResponseChannel(res, head, deps.channelTimes, asked.writer));
    },
  };
}

/** A request that costs money. Throws what the client is to be told while nothing was sent. */
export async function handlePaidRequest(
  deps: PaidRequestsDeps,
  endpoint: PaidEndpoint,
  req: IncomingMessage,
  res: ServerResponse,
  {
    id,
    requestId,
    startedAtMs,
    head,
    span,
    progress,
  }: RequestContext & {
    /** Of the response. */
    head: ResponseHead;
    span: Span;
    /** Is told how far the request comes. */
    progress: RequestProgress;
  },
): Promise<void> {
  const secret = endpoint.readSecret(req);
  const admit = (found: ApiKeyIdentity | undefined): Caller => {
    progress.identity = found ?? progress.identity;
    return requireInvite(requireOrigin(requireLive(found), req, res));
  };
  const identifyAgain = async (): Promise<Caller> => admit(await deps.keys.identifyNow(secret));
  const known = await deps.keys.identify(secret);
  // A page that a remembered key does not allow may be allowed since.
  const isDecided = known === undefined || allowsOrigin(known, req.headers.origin);
  const caller = isDecided ? admit(known) : await identifyAgain();
  try {
    const { serve, written, idempotency } = await readRequest(endpoint, req, deps.bodyLimits, progress);
    const request = {
      id,
      requestId,
      startedAtMs,
      span,
      progress,
      caller,
      identifyAgain,
      written,
      idempotency,
    };
    await serve(deps, request, res, head);
  } catch (error) {
    // No hold was placed, so nothing has decided yet whether the remembered key is still live.
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) await identifyAgain();
    throw error;
  }
}

/** What is asked for. The body is hashed only if the request may be repeated. */
async function readRequest(
  endpoint: PaidEndpoint,
  req: IncomingMessage,
  limits: JsonBodyLimits,
  progress: RequestProgress,
): Promise<{ serve: ServePaidRequest } & Pick<ReadRequest, 'written' | 'idempotency'>> {
  const { maxBytes, maxDepth } = limits;
  const { maxValues = limits.maxValues } = endpoint;
  const { value, written, bytes } = await readJsonBodyWithBytes(req, { maxBytes, maxDepth, maxValues }).catch(
    refuseBody,
  );
  noteAsked(progress, value);
  const serve = readBy(endpoint, value);
  const key = readIdempotencyKey(req.headers);
  if (key === undefined) return { serve, written, idempotency: undefined };
  const fingerprint = fingerprintOf({ method: 'POST', path: endpoint.path, body: bytes });
  return { serve, written, idempotency: { key, fingerprint } };
}

/** Also of a body that is refused: the account may want to know for which model it was. */
function noteAsked(progress: RequestProgress, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { model, stream } = value as { model?: unknown; stream?: unknown };
  if (typeof model === 'string') progress.model = model;
  progress.streamed = stream === true;
}

function refuseBody(thrown: unknown): never {
  const isTooLarge = thrown instanceof ApiError && thrown.code === 'request_too_large';
  throw toRefusal(isTooLarge ? 'body_size' : 'body', thrown);
}

function readBy(endpoint: PaidEndpoint, value: unknown): ServePaidRequest {
  try {
    return endpoint.read(value);
  } catch (error) {
    throw toRefusal('body', error);
  }
}

const HEADER = 'Idempotency-Key';
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * The key under which a request may be repeated; undefined if it has none. Throws `invalid_request_error` if it
 * is not 1 to 255 printable ASCII characters. Source: docs/decisions.md, "Idempotency-Key".
 */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['idempotency-key'];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && KEY.test(value)) return value;
  throw new RefusalError('body', 'invalid_request_error', {
    param: HEADER,
    message: `The header ${HEADER} must be 1 to 255 printable ASCII characters.`,
  });
}

/** SHA-256 over method, path and body: what must be the same for a request to be a repetition of another one. */
export function fingerprintOf(request: { method: string; path: string; body: Uint8Array }): Buffer {
  return createHash('sha256').update(`${request.method} ${request.path}\n`).update(request.body).digest();
}
