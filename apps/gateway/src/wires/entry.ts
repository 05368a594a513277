import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiKeyIdentity } from '@farebox/accounts';
import { allowsOrigin } from '@farebox/auth';
import type { BodyRoom, RequestBodies } from '@farebox/http';
import { requireCaller, type Caller, type KeyDirectory } from '../identity/api-keys';
import type { Permit, RequestKind, RequestLimiter } from '../limiter/request-limits';

export interface EntryDeps {
  keys: KeyDirectory;
  limiter: RequestLimiter;
  bodies: RequestBodies;
  /** Receives the owner of the key of a free request, even if they are refused. */
  onFreeFound?: (identity: ApiKeyIdentity) => void;
}

/** The result of a request's head, before its body is read. */
export interface Entry {
  caller: Caller;
  /** Pending. Rejects with the errors that take precedence over any in the body. */
  permit: Promise<Permit>;
  /** Whether the permit takes time but is nearly certain, so that the next steps may begin beside it. */
  isPermitSure: boolean;
  room: BodyRoom;
  /** Identifies the caller again if their key has changed. Throws if it is no longer live. */
  identifyAgain: () => Promise<Caller>;
  /** The request is over: frees its permit and its share of the memory for bodies. */
  leave(): void;
}

interface Head {
  req: IncomingMessage;
  res: ServerResponse;
  secret: string;
  kind: RequestKind;
  /** Receives the owner of the key, even if they are refused. */
  onFound?: (identity: ApiKeyIdentity) => void;
}

/**
 * The entry of every request with an API key: identifies the caller and takes a place in their limits, from
 * the head alone. Throws refusals of the key or its account. No body may be read before; a long one is read
 * only with the permit.
 */
export async function enter({ keys, limiter, bodies }: EntryDeps, head: Head): Promise<Entry> {
  const { req, res, secret, kind, onFound } = head;
  const admit = (found: ApiKeyIdentity | undefined): Caller => {
    if (found) onFound?.(found);
    return requireCaller(found, req, res);
  };
  const identifyAgain = async (): Promise<Caller> => admit(await keys.identifyNow(secret));
  const known = await keys.identify(secret);
  // A web page that a remembered key does not allow may have been allowed since.
  const isDecided = known === undefined || allowsOrigin(known, req.headers.origin);
  const caller = isDecided ? admit(known) : await identifyAgain();
  const isPermitSure = kind === 'paid' && limiter.canAdmitEarly(caller);
  const permit = limiter.take(caller, kind).catch(async (refusal: unknown) => {
    // The key's current state comes before its limit. If the database does not answer, the remembered state
    // holds.
    admit(await keys.identifySoon(secret).catch(() => caller));
    throw refusal;
  });
  const room = bodies.roomFor(caller.accountId);
  return {
    caller,
    permit,
    isPermitSure,
    room,
    identifyAgain,
    leave() {
      room.leave();
      permit.then(release, ignore);
    },
  };
}

function release(permit: Permit): void {
  permit.release();
}

const ignore = (): undefined => undefined;

/** A longer body is read only with the permit. A connection delivers about this much in one piece. */
const SHORT_BODY_BYTES = 64 * 1024;

/**
 * Reads a body: a short one while the limiter is asked, a longer one after it has admitted the request. A
 * refusal is sent at once, however much of the body has arrived.
 */
export async function readAdmitted<Body>(
  permit: Promise<Permit>,
  { headers }: IncomingMessage,
  read: () => Promise<Body>,
): Promise<Body> {
  const isShort =
    headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SHORT_BODY_BYTES;
  if (!isShort) await permit;
  const reading = read();
  return Promise.race([permit.then(() => reading), reading]);
}

/**
 * Serves a free request. It has no hold to check that its key is still live, so the key is looked up in the
 * database once the request has its place.
 */
export async function serveFree(
  deps: EntryDeps,
  head: Omit<Head, 'kind'>,
  serve: (caller: Caller, room: BodyRoom) => Promise<void>,
): Promise<void> {
  const { onFreeFound: onFound } = deps;
  const entry = await enter(deps, { ...head, kind: 'free', ...(onFound && { onFound }) });
  try {
    const { headers } = await entry.permit;
    for (const [name, value] of headers) head.res.setHeader(name, value);
    await serve(await entry.identifyAgain(), entry.room);
  } finally {
    entry.leave();
  }
}
