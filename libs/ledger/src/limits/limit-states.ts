export const LIMIT_MEASURES = ['requests', 'tokens', 'concurrency', 'spend'] as const;
/** In UTC. A week begins on Monday, five hours at multiples of five hours since 1970. */
export const LIMIT_WINDOWS = ['minute', 'five_hours', 'day', 'week', 'month'] as const;

export type LimitMeasure = (typeof LIMIT_MEASURES)[number];
export type LimitWindow = (typeof LIMIT_WINDOWS)[number];
export type LimitAttachment = 'key' | 'account' | 'cohort' | 'model';

/** A limit policy that applies to a request, as its admission saw it. Amounts of `spend` are nano-dollars. */
export interface LimitState {
  measure: LimitMeasure;
  /** Undefined for concurrency. */
  per: LimitWindow | undefined;
  attachedTo: LimitAttachment;
  /** Whether it counts only requests to the model of this one. */
  isOfModel: boolean;
  most: bigint;
  /** Before this request. What runs counts with the most that it can use. */
  used: bigint;
  /** The most that this request can use. */
  needed: bigint;
  /** The end of the window; undefined for concurrency. */
  endsAtMs: number | undefined;
}

/** All times are the database's. */
export interface LimitDecision {
  atMs: number;
  states: readonly LimitState[];
}

const FIELDS_OF_STATE = 8;

/** Reads what `ledger_decide_limits` writes after its outcome. Throws if it is anything else. */
export function readLimitDecision(text: string): LimitDecision {
  const [at, ...states] = text.split(';');
  return { atMs: Number(at), states: states.map(toState) };
}

function toState(text: string): LimitState {
  const fields = text.split('/');
  if (fields.length !== FIELDS_OF_STATE) throw new Error('the ledger wrote a limit in another form');
  const [measure, per, attachedTo, isOfModel, most = '', used = '', needed = '', ends] = fields;
  return {
    measure: measure as LimitMeasure,
    per: per === '' ? undefined : (per as LimitWindow),
    attachedTo: attachedTo as LimitAttachment,
    isOfModel: isOfModel === 't',
    most: BigInt(most),
    used: BigInt(used),
    needed: BigInt(needed),
    endsAtMs: ends === '' ? undefined : Number(ends) * 1_000,
  };
}

export function hasRoom({ most, used, needed }: LimitState): boolean {
  return used + needed <= most;
}

/** Whether not even an unused window has room. */
export function isTooLarge({ most, needed }: LimitState): boolean {
  return needed > most;
}

/**
 * The limit that refuses a request: of those without room, the one that has room last. None is later than one that
 * never has, and none sooner than one of concurrency. Undefined if all have room.
 */
export function findRefusing(states: readonly LimitState[]): LimitState | undefined {
  let refusing: LimitState | undefined;
  for (const state of states)
    if (!hasRoom(state) && (!refusing || opensAtMs(state) > opensAtMs(refusing))) refusing = state;
  return refusing;
}

function opensAtMs(state: LimitState): number {
  return isTooLarge(state) ? Infinity : (state.endsAtMs ?? -Infinity);
}

/** The rest of a limit. One that was lowered may be exceeded. */
export function leftOfLimit({ most, used }: Pick<LimitState, 'most' | 'used'>): bigint {
  return most > used ? most - used : 0n;
}

/** The limit of a measure with the least left; among equals the one whose window ends last. */
export function findTightest(states: readonly LimitState[], measure: LimitMeasure): LimitState | undefined {
  let tightest: LimitState | undefined;
  for (const state of states) {
    if (state.measure !== measure) continue;
    if (!tightest || leftOfLimit(state) < leftOfLimit(tightest)) tightest = state;
    else if (leftOfLimit(state) === leftOfLimit(tightest) && opensAtMs(state) > opensAtMs(tightest))
      tightest = state;
  }
  return tightest;
}

/** The states once the request is admitted. */
export function afterAdmission(states: readonly LimitState[]): LimitState[] {
  return states.map((state) => ({ ...state, used: state.used + state.needed }));
}
