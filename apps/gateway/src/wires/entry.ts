import type { IncomingMessage, ServerResponse } from 'node:http';
import { allowsOrigin, type ApiKeyIdentity } from '@farebox/accounts';
import type { BodyRoom, RequestBodies } from '@farebox/http';
import {
  requireInvite,
  requireLive,
  requireOrigin,
  type Caller,
  type KeyDirectory,
} from '../identity/api-keys';
import type { Permit, RequestKind, RequestLimiter } from '../limiter/request-limits';

export interface EntryDeps {
  keys: KeyDirectory;
  limiter: RequestLimiter;
  bodies: RequestBodies;
}

/** The result of a request's head, before its body is read. */
export interface Entry {
  caller: Caller;
  /** Is being asked for. Rejects with what comes before everything that is wrong with the body. */
  permit: Promise<Permit>;
  /** Whether it takes time, and is as good as sure: what comes after it may be begun beside it. */
  isPermitSure: boolean;
  room: BodyRoom;
  /** Identifies the caller again if their key has changed. Throws if it is no longer live. */
  identifyAgain: () => Promise<Caller>;
  /** The request is over: its permit and its body's room are free. */
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
 * The door of every request that brings an API key: whose it is, and a place in their limits, from its head alone. Throws
 * what refuses the key or its account. Nothing of a body may be read before; a long one is read only with the permit.
 */
export async function enter({ keys, limiter, bodies }: EntryDeps, head: Head): Promise<Entry> {
  const { req, res, secret, kind, onFound } = head;
  const admit = (found: ApiKeyIdentity | undefined): Caller => {
    if (found) onFound?.(found);
    return requireInvite(requireOrigin(requireLive(found), req, res));
  };
  const identifyAgain = async (): Promise<Caller> => admit(await keys.identifyNow(secret));
  const known = await keys.identify(secret);
  // A page that a remembered key does not allow may be allowed since.
  const isDecided = known === undefined || allowsOrigin(known, req.headers.origin);
  const caller = isDecided ? admit(known) : await identifyAgain();
  const isPermitSure = kind === 'paid' && limiter.canAdmitEarly(caller);
  const permit = limiter.take(caller, kind).catch(async (refusal: unknown) => {
    // What has become of a remembered key comes before its limit. If the database cannot say, it is as it was.
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

/** A longer body is read only with the permit. A connection brings about this much in one piece. */
const SHORT_BODY_BYTES = 64 * 1024;

/**
 * Reads a body: a short one while the limiter is asked, a longer one when it has admitted the request. Who is refused is
 * told at once, whatever of the body has come.
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
 * Serves a request that costs nothing. No hold decides whether its key is still live: once it has its place, the key is
 * looked up in the database.
 */
export async function serveFree(
  deps: EntryDeps,
  head: Omit<Head, 'kind'>,
  serve: (caller: Caller, room: BodyRoom) => Promise<void>,
): Promise<void> {
  const entry = await enter(deps, { ...head, kind: 'free' });
  try {
    const { headers } = await entry.permit;
    for (const [name, value] of headers) head.res.setHeader(name, value);
    await serve(await entry.identifyAgain(), entry.room);
  } finally {
    entry.leave();
  }
}
