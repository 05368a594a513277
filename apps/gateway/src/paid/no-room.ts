import type { ApiError } from '@farebox/errors';
import { SingleFlights } from '@farebox/flow';
import { NO_ROOM, type AdmissionResult, type Quote, type QuoteRequest } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { Caller } from '../identity/api-keys';
import { refuseByKeyMonth, toRefusalError } from '../refusals';

/** Refusals for lack of room: a smaller cost may still fit. */
export type NoRoom = NoFunds | Extract<AdmissionResult, { outcome: 'limit_policy' }>;

type NoFunds = Extract<AdmissionResult, { outcome: (typeof NO_ROOM)[number] }>;

export function isNoRoom(result: AdmissionResult): result is NoRoom {
  return result.outcome === 'limit_policy' || (NO_ROOM as readonly string[]).includes(result.outcome);
}

/** Asks the ledger for the held amount and for its decision. */
export type AskLedger = (request: QuoteRequest) => Promise<Quote | undefined>;

export type NoRoomError = ReturnType<typeof noRoomErrorBy>;

/**
 * The error of a client without room: the required amount, the remaining amount, and the held part. These are read
 * once for all waiting refusals of a key, so that a storm of them costs little, and omitted if they cannot be read. A
 * key that does not show the account's limits sees only its own.
 */
export function noRoomErrorBy(askLedger: AskLedger) {
  const reads = new SingleFlights<string, Quote | undefined>();

  function readOnce(caller: Caller, neededNano: NanoUsd): Promise<Quote | undefined> {
    const { accountId, apiKeyId, version: apiKeyVersion, cohortName } = caller;
    const request = { accountId, apiKeyId, apiKeyVersion, cohortName, amountsNano: [neededNano] };
    return reads.run(apiKeyId, () => askLedger(request).catch(() => undefined));
  }

  return async (caller: Caller, result: NoFunds, neededNano: NanoUsd): Promise<ApiError> => {
    const held = await readOnce(caller, neededNano);
    const byKey = held && refuseByKeyMonth(caller, result.outcome, held.keyMonth, neededNano);
    return toRefusalError(caller, byKey ?? result, neededNano, Date.now(), held);
  };
}
