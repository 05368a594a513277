/** A place in the order of all that the test does and sees. It has one process, and no two things the same place. */
export type Moment = number;

/** Gives the next place in that order, each time. */
export type NextMoment = () => Moment;

export function createMoments(): NextMoment {
  let last = 0;
  return () => ++last;
}

/** The state of a customer's key. */
export interface KeyState {
  /** The number of the secret that is live, in the order in which the customer got them; undefined: none is. */
  liveSecret: number | undefined;
  isSuspended: boolean;
  /** Whether the key's policy bars the model that it bars at times. */
  isBarred: boolean;
}

export interface Change {
  /** As in "the key was …". */
  what: string;
  after: KeyState;
  sentAt: Moment;
  /** Until then, what was before may hold as well. */
  answeredAt: Moment;
}

/** The changes of a customer's key, in their order; the first says what it was made as. */
export type History = readonly Change[];

/** The states of a key from `fromAt` to `untilAt`: several if one passed into another. */
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
