import type { ServerResponse } from 'node:http';
import type { ApiKeyIdentity } from '@farebox/accounts';
import { accessModel, type CatalogSnapshot } from '@farebox/catalog';
import type { ApiError, ErrorCode, UnchargedOutcome } from '@farebox/errors';
import { responseCodeOf } from '@farebox/http';
import type { EndedRequest } from '@farebox/ledger';
import { RefusalError } from '../refusals';

/** What of a hold says whether its request was charged. */
interface Resolved {
  wasReleased(): boolean;
}

/** How far a request has come: what is told of it in its account's list if it ends without a charge. */
export class RequestProgress {
  /** Whose key it carries, also if the key is expired or revoked, or its account has no access. */
  identity: ApiKeyIdentity | undefined;
  /** What the body names, known or not. */
  model: string | undefined;
  streamed = false;
  hold: Resolved | undefined;
  /** Writes a refusal as a stream, if this request's client looks for it there. */
  toRefusedStream: ((error: ApiError) => string | undefined) | undefined;
  /** It was charged before, and is answered with what was kept then. */
  isReplay = false;

  /** Whether it is known whose it was, and that nothing was or will be charged for it. */
  get isUncharged(): boolean {
    return this.identity !== undefined && !this.isReplay && (this.hold?.wasReleased() ?? true);
  }
}

/** A request that has ended without a charge, as its account is told of it. */
export function describeUncharged(
  { model, streamed, hold }: RequestProgress,
  identity: ApiKeyIdentity,
  told: Told,
  {
    id,
    requestId,
    latencyMs,
    catalog,
  }: { id: string; requestId: string; latencyMs: number; catalog: CatalogSnapshot },
): Omit<EndedRequest, 'ageMs'> {
  // A model that is not offered to the account is answered as one that does not exist, here too.
  const isOffered =
    model !== undefined && accessModel(catalog, model, identity).outcome !== 'model_not_found';
  return {
    id,
    accountId: identity.accountId,
    apiKeyId: identity.apiKeyId,
    modelId: isOffered ? model : null,
    requestId,
    outcome: outcomeOf(told, hold !== undefined),
    errorCode: told.code,
    httpStatus: told.status,
    streamed,
    latencyMs: Math.max(0, Math.round(latencyMs)),
  };
}

/** What the client was told at the end. */
interface Told {
  /** Null if they had gone before. */
  code: ErrorCode | null;
  status: number | null;
  thrown: unknown;
}

export function outcomeShown(res: ServerResponse, thrown: unknown): Told {
  const code = responseCodeOf(res, false);
  return code === 'client_gone' || code === 'ok'
    ? { code: null, status: null, thrown }
    : { code, status: res.statusCode, thrown };
}

/** What ran and brought nothing has failed; so has what the service could not decide, or nobody waited for. */
function outcomeOf({ code, status, thrown }: Told, ran: boolean): UnchargedOutcome {
  if (ran || code === null || status === null) return 'failed';
  return thrown instanceof RefusalError || status < 500 ? 'refused' : 'failed';
}
