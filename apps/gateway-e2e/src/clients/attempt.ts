import type { ChatRequest } from './chat-request';

/** One sending of a request, and what the client was told. */
export interface Attempt {
  /** The client's own, and in every row that the service writes of it. */
  requestId: string;
  request: ChatRequest;
  /** The number of the gateway that it was sent to. */
  gateway: number;
  startedAtMs: number;
  endedAtMs: number;
  told: Told;
}

export type Told =
  /** A complete answer: in one piece and read to its end, or a stream whose [DONE] was seen. */
  | {
      kind: 'answered';
      completionId: string;
      /** In US dollars, as it was said; undefined where it was not asked for. */
      cost: string | undefined;
      /** An answer in one piece byte for byte; of a stream its text and finish. */
      content: string;
      replayed: boolean;
    }
  /** A stream that ended with an error event. */
  | { kind: 'failed_midway'; code: string; text: string; replayed: boolean }
  /** An error and nothing else. */
  | { kind: 'refused'; status: number; code: string }
  /** The client left, with this much of the text. */
  | { kind: 'hung_up'; text: string }
  /** The connection was lost before the answer was complete. */
  | { kind: 'cut'; text: string }
  /** Nobody listened: nothing was sent. */
  | { kind: 'not_connected' }
  /** No answer for longer than any answer may take. */
  | { kind: 'silent' };

/** Where the outcome of a charge is not known to the client, by the service's own word. */
export function isBillingError(told: Told): boolean {
  return (told.kind === 'refused' || told.kind === 'failed_midway') && told.code === 'billing_error';
}

export function isReplay(told: Told): boolean {
  return (told.kind === 'answered' || told.kind === 'failed_midway') && told.replayed;
}
