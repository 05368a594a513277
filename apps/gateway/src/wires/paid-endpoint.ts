import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toPublicId } from '@farebox/auth';
import { checkSchemas, toUnixSeconds, withParts } from '@farebox/api';
import { ApiError } from '@farebox/errors';
import { Pace, type WrittenJson } from '@farebox/flow';
import {
  readJsonBodyWithBytes,
  type JsonBodyLimits,
  type RequestContext,
  type ResponseHead,
  type UnwrittenResponses,
} from '@farebox/http';
import type { Span } from '@farebox/observability';
import { RefusalError, toRefusal } from '../refusals';
import type { RequestProgress } from '../paid/request-progress';
import { completeChat, type CompleteChatDeps, type ReadRequest } from '../chat/complete-chat';
import { enter, readAdmitted, type Entry, type EntryDeps } from './entry';
import { withNamed } from './named-items';
import { ResponseChannel, type ChannelTimes, type ResponseOwner } from './response-channel';
import type { Wire, WireRequest } from './wire';

export interface PaidRequestsDeps extends CompleteChatDeps, EntryDeps {
  bodyLimits: JsonBodyLimits;
  channelTimes: ChannelTimes;
  unwritten: UnwrittenResponses;
}

/** An endpoint whose requests cost money. */
export interface PaidEndpoint extends Pick<Wire, 'path' | 'readSecret' | 'toErrorBody'> {
  /** Set if its requests may have more values than others. */
  maxValues?: number;
  /**
   * Reads a body, and returns a function that serves it. Throws `invalid_request_error`, with a `param` in
   * the wire's own names. A long one may be read in turns. `long`: how the long parts of a long one were written.
   */
  read(value: unknown, long: WrittenJson | undefined): ServePaidRequest | Promise<ServePaidRequest>;
}

type ServePaidRequest = (
  deps: PaidRequestsDeps,
  request: ReadRequest,
  res: ServerResponse,
  head: ResponseHead,
) => Promise<void>;

/** The unread part of a response counts for its account. */
export function ownerOf({ unwritten }: PaidRequestsDeps, { caller }: ReadRequest): ResponseOwner {
  return { accountId: caller.accountId, unwritten };
}

/** Makes an endpoint for completions on a wire. */
export function completionsBy(wire: Wire): PaidEndpoint {
  return {
    path: wire.path,
    readSecret: wire.readSecret,
    toErrorBody: wire.toErrorBody,
    read(value, long) {
      if (long && wire.readInTurns) return wire.readInTurns(value, long).then(serveCompletion);
      return serveCompletion(wire.read(value));
    },
  };
}

function serveCompletion(read: WireRequest): ServePaidRequest {
  return async (deps, request, res, head) => {
    // A request that the limiter refuses must not cause a look-up.
    if (read.named) await request.permit;
    const asked = read.named ? await withNamed(deps, request, read.named) : read;
    const { body, writer, keepsItems = false } = asked;
    if (body.stream) {
      const of = {
        id: toPublicId('chatcmpl', request.id),
        created: toUnixSeconds(new Date()),
        model: body.model,
      };
      const toRefusal = (error: ApiError) => writer.toRefusal?.(of, error);
      request.progress.toRefusedStream = toRefusal;
    }
    const channel = new ResponseChannel(res, head, deps.channelTimes, ownerOf(deps, request), writer);
    return completeChat(deps, { ...request, keepsItems }, asked, channel);
  };
}

/** Serves a request that costs money. Throws the client's error while nothing has been sent. */
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
    /** Headers of the response. */
    head: ResponseHead;
    span: Span;
    /** Records how far the request gets. */
    progress: RequestProgress;
  },
): Promise<void> {
  const secret = endpoint.readSecret(req);
  const entry = await enter(deps, {
    req,
    res,
    secret,
    kind: 'paid',
    onFound(identity) {
      progress.identity = identity;
    },
  });
  const { permit, isPermitSure, caller, room, identifyAgain } = entry;
  try {
    const read = () => readRequest(endpoint, req, deps.bodyLimits, entry, progress);
    const { serve, written, isLong, idempotency } = await readAdmitted(permit, req, read);
    const request = {
      id,
      requestId,
      startedAtMs,
      span,
      progress,
      caller,
      permit,
      isPermitSure,
      room,
      identifyAgain,
      written,
      isLong,
      idempotency,
    };
    await serve(deps, request, res, head);
  } catch (error) {
    // A refusal of the limiter takes precedence over any other error.
    await permit;
    // No hold was placed, so nothing has checked whether the remembered key is still live.
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) await identifyAgain();
    throw error;
  } finally {
    entry.leave();
  }
}

/** Reads the body. It is hashed only if the request may be repeated. */
async function readRequest(
  endpoint: PaidEndpoint,
  req: IncomingMessage,
  limits: JsonBodyLimits,
  { room }: Entry,
  progress: RequestProgress,
): Promise<{ serve: ServePaidRequest } & Pick<ReadRequest, 'written' | 'isLong' | 'idempotency'>> {
  const { maxBytes, maxDepth, replacesUnfit = false } = limits;
  const { maxValues = limits.maxValues } = endpoint;
  const ownLimits = { maxBytes, maxDepth, maxValues, replacesUnfit };
  const { value, written, bytes, isLong } = await readJsonBodyWithBytes(req, ownLimits, room).catch(
    refuseBody,
  );
  noteAsked(progress, value);
  if (isLong) await checkSchemas(value, new Pace());
  const reading = readBy(endpoint, value, isLong ? written : undefined);
  const serve = reading instanceof Promise ? await reading.catch(refuseBody) : reading;
  if (isLong) await nextTurn();
  const key = readIdempotencyKey(req.headers);
  if (key === undefined) return { serve, written, isLong, idempotency: undefined };
  const fingerprint = fingerprintOf({ method: 'POST', path: endpoint.path, body: bytes });
  return { serve, written, isLong, idempotency: { key, fingerprint } };
}

/** Also for a refused body: the account may want to know which model it was for. */
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

function readBy(
  endpoint: PaidEndpoint,
  value: unknown,
  long: WrittenJson | undefined,
): ReturnType<PaidEndpoint['read']> {
  try {
    return withParts(long && ((text) => long.partsOf(text)), () => endpoint.read(value, long));
  } catch (error) {
    throw toRefusal('body', error);
  }
}

const HEADER = 'Idempotency-Key';
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * The key under which a request may be repeated; undefined if it has none. Throws `invalid_request_error` if
 * it is not 1 to 255 printable ASCII characters. Source: docs/design/decisions.md, "Idempotency-Key".
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

/** SHA-256 over method, path and body: equal for a repeated request. */
export function fingerprintOf(request: { method: string; path: string; body: Uint8Array }): Buffer {
  return createHash('sha256').update(`${request.method} ${request.path}\n`).update(request.body).digest();
}
