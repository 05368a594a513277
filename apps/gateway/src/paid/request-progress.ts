import type { ServerResponse } from 'node:http';
import type { ApiKeyIdentity } from '@farebox/accounts';
import { accessModel, type CatalogSnapshot } from '@farebox/catalog';
import { ApiError, toApiError, type ErrorCode, type UnchargedOutcome } from '@farebox/errors';
import { responseCodeOf } from '@farebox/http';
import type { EndedRequest } from '@farebox/ledger';
import { RefusalError } from '../refusals';

/** The part of a hold that says whether its request was charged. */
interface Resolved {
  wasReleased(): boolean;
}

/** How far a request has come, for its account's list if it ends without a charge. */
export class RequestProgress {
  /** The account of its key, also if the key is expired or revoked, or the account has no access. */
  identity: ApiKeyIdentity | undefined;
  /** The model in the body, known or not. */
  model: string | undefined;
  streamed = false;
  hold: Resolved | undefined;
  /** Writes a refusal as a stream, if this client expects it there. */
  toRefusedStream: ((error: ApiError) => string | undefined) | undefined;
  /** It was charged before and gets the kept response. */
  isReplay = false;

  /** Whether its account is known, and nothing was or will be charged. */
  get isUncharged(): boolean {
    return this.identity !== undefined && !this.isReplay && (this.hold?.wasReleased() ?? true);
  }
}

/** A request that has ended without a charge, as its account sees it. */
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
  // As in the response, a model that is not offered to the account looks like one that does not exist.
  const isOffered =
    model !== undefined && accessModel(catalog, model, identity).outcome !== 'model_not_found';
  const error = errorOf(told);
  return {
    id,
    accountId: identity.accountId,
    apiKeyId: identity.apiKeyId,
    modelId: isOffered ? model : null,
    requestId,
    outcome: outcomeOf(told, hold !== undefined),
    errorCode: told.code,
    errorMessage: error?.publicMessage ?? null,
    errorParam: error?.param ?? null,
    httpStatus: told.status,
    streamed,
    latencyMs: Math.max(0, Math.round(latencyMs)),
  };
}

/** The status that the client got at the end. */
interface Told {
  /** Null if they had left before. */
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

/** The error that the client got. */
function errorOf({ code, thrown }: Told): ApiError | undefined {
  if (code === null) return undefined;
  const error = toApiError(thrown);
  return error.code === code ? error : new ApiError(code);
}

/**
 * Work that ran without a result has failed; so has a request that the service could not decide, or that nobody
 * waited for.
 */
function outcomeOf({ code, status, thrown }: Told, ran: boolean): UnchargedOutcome {
  if (ran || code === null || status === null) return 'failed';
  return thrown instanceof RefusalError || status < 500 ? 'refused' : 'failed';
}
