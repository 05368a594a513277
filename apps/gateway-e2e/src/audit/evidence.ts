import type { Attempt, Told } from '../clients/attempt';
import type { Disturbance } from '../breakable/restartable-process';
import type { Books, Charge, ReviewRow } from './books';

/** An Idempotency-Key that its client could not have answered. */
export interface Unanswered {
  key: string;
  lastTold: Told;
}

/** All that is compared. */
export interface Evidence {
  attempts: readonly Attempt[];
  unanswered: readonly Unanswered[];
  /** How often the upstream was asked, by the name of the request. */
  upstreamCalls: ReadonlyMap<string, number>;
  books: Books;
  /** What the customers have paid in, by those who paid. */
  paidInNano: bigint;
  /** When each gateway was kept from its work, by its number. */
  disturbances: readonly (readonly Disturbance[])[];
  /** When the database was away, or its connections were lost. */
  databaseDisturbances: readonly Disturbance[];
  /** After this time no request of a lost gateway may still be held. */
  resolvedWithinMs: number;
  /** As the models of the stand count. */
  countTokens: (text: string) => number;
}

/** One thing that is not as it must be, as a sentence. */
export type Finding = string;

/** The rows of each attempt. */
export interface RowsOfAttempt {
  charges: readonly Charge[];
  reviews: readonly ReviewRow[];
}

/** An attempt in words that are enough to look it up in the logs and in the database. */
export function describe({ requestId, request, gateway, startedAtMs, endedAtMs, told }: Attempt): string {
  const kind = `${request.streamed ? 'stream' : 'whole'} of ${request.model}`;
  const key = request.idempotencyKey === undefined ? '' : ' with an Idempotency-Key';
  const times = `${time(startedAtMs)} to ${time(endedAtMs)}`;
  return `request ${requestId} (${kind}${key}, gateway ${String(gateway)}, ${times}; told: ${summaryOf(told)})`;
}

function time(atMs: number): string {
  return Number.isFinite(atMs) ? new Date(atMs).toISOString().slice(11, 23) : 'never';
}

function summaryOf(told: Attempt['told']): string {
  switch (told.kind) {
    case 'answered':
      return `${told.replayed ? 'replayed' : 'answered'} ${told.completionId}, cost ${told.cost ?? 'not asked for'}`;
    case 'failed_midway':
      return `${told.code} after ${String(told.text.length)} characters${told.replayed ? ', replayed' : ''}`;
    case 'refused':
      return `${String(told.status)} ${told.code}`;
    case 'cut':
      return `cut after ${String(told.text.length)} characters`;
    case 'hung_up':
      return `hung up after ${String(told.text.length)} characters`;
    case 'not_connected':
    case 'silent':
      return told.kind;
  }
}
