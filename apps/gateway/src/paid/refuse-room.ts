import type { ApiError } from '@farebox/errors';
import { SingleFlights } from '@farebox/flow';
import { NO_ROOM, type AdmissionResult, type Quote, type QuoteRequest } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { Caller } from '../identity/api-keys';
import { refuseByKeyMonth, toRefusalError } from '../refusals';

/** Refusals for want of room: for a smaller cost there may be some. */
export type NoRoom = Extract<AdmissionResult, { outcome: (typeof NO_ROOM)[number] }>;

export function isNoRoom(result: AdmissionResult): result is NoRoom {
  return (NO_ROOM as readonly string[]).includes(result.outcome);
}

/** Asks the ledger what is held, and what it would decide. */
export type AskLedger = (request: QuoteRequest) => Promise<Quote | undefined>;

export type RefuseRoom = ReturnType<typeof createRefuseRoom>;

/**
 * What a client is told for whom there is no room: what is needed, what is left, and what is held of the rest. That is read
 * once for all refusals of a key that wait for it, so that a storm of them costs little; if it cannot be read it is left out.
 * A key that does not show the account's limits is told of its own alone.
 */
export function createRefuseRoom(askLedger: AskLedger) {
  const reads = new SingleFlights<string, Quote | undefined>();

  function readOnce(caller: Caller, neededNano: NanoUsd): Promise<Quote | undefined> {
    const { accountId, apiKeyId, version: apiKeyVersion, cohortName } = caller;
    const request = { accountId, apiKeyId, apiKeyVersion, cohortName, amountsNano: [neededNano] };
    return reads.run(apiKeyId, () => askLedger(request).catch(() => undefined));
  }

  return async (caller: Caller, result: NoRoom, neededNano: NanoUsd): Promise<ApiError> => {
    const held = await readOnce(caller, neededNano);
    const byKey = held && refuseByKeyMonth(caller, result.outcome, held.keyMonth, neededNano);
    return toRefusalError(caller, byKey ?? result, neededNano, Date.now(), held);
  };
}
