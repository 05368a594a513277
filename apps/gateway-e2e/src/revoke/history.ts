/**
 * A position in the order of all the test's actions and observations. The test is one process, so positions
 * are unique.
 */
export type Moment = number;

/** Returns the next position. */
export type NextMoment = () => Moment;

export function createMoments(): NextMoment {
  let last = 0;
  return () => ++last;
}

/** The state of a customer's key. */
export interface KeyState {
  /** The number of the live secret, in the order of issue; undefined if none is live. */
  liveSecret: number | undefined;
  isSuspended: boolean;
  /** Whether the key's policy bars the model that it sometimes bars. */
  isBarred: boolean;
}

export interface Change {
  /** Completes "the key was …". */
  what: string;
  after: KeyState;
  sentAt: Moment;
  /** Until then the previous state may hold as well. */
  answeredAt: Moment;
}

/** The changes of a customer's key, in order; the first is its creation. */
export type History = readonly Change[];

/** The states of a key from `fromAt` to `untilAt`: several if it changed. */
export function statesBetween(history: History, fromAt: Moment, untilAt: Moment): KeyState[] {
  return history
    .filter(({ sentAt }, index) => {
      const endsAt = history[index + 1]?.answeredAt ?? Infinity;
      return sentAt < untilAt && endsAt > fromAt;
    })
    .map(({ after }) => after);
}

/** The last change that was answered before a moment. */
export function lastChangeBefore(history: History, at: Moment): Change | undefined {
  return history.findLast(({ answeredAt }) => answeredAt < at);
}
