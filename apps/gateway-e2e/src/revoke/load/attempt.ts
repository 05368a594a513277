import type { ModelId } from '../../clients/chat-request';
import type { Moment } from '../changes/history';

/** The model that a policy bars at times. The others stay allowed. */
export const BARRED_MODEL: ModelId = 'at-once';

/** A completion in one piece, one as a stream, or the list of models. */
export type Asked = { kind: 'whole' | 'stream'; model: ModelId } | { kind: 'models' };

/** One request, and what its client was told. */
export interface Attempt {
  /** The client's own, and in every row that the service writes of it. */
  requestId: string;
  asked: Asked;
  /** By their numbers. */
  customer: number;
  secret: number;
  gateway: number;
  begunAt: Moment;
  endedAt: Moment;
  outcome: string;
}

/** Given whole: a stream up to its [DONE]. */
export const SERVED = 'served';
/** A list of models without the one that a policy bars. */
export const LISTED_WITHOUT = `served without ${BARRED_MODEL}`;
/** It was never answered. */
export const NOT_ENDED = 'not ended';
