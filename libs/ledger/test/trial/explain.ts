import { isDeepStrictEqual } from 'node:util';
import { apply } from '../model/ledger-model';
import type { Answer, Operation } from '../model/operation';
import type { LedgerState } from '../model/state';

/** One of several concurrent operations. */
export interface Observed {
  operation: Operation;
  /** The answer to its caller. */
  answer: Answer;
  /**
   * Requests of one gateway for one account run in a known order, the lowest place first. Undefined: any
   * order.
   */
  place?: CallPlace | undefined;
}

/**
 * The position of an operation among those of one gateway for one account. There is no order between
 * accounts, even in one call: a locked account is skipped, and its operations move to a later call.
 */
export interface CallPlace {
  gateway: string;
  accountId: string;
  /** Compared from left to right. */
  rank: readonly number[];
}

/** The remaining steps of an observed operation. */
interface Pending extends Observed {
  /**
   * For a lost gateway after its lease has lapsed: the number of holds that its sweep still has to release.
   */
  toRelease?: number;
}

/**
 * Every end state of an order of the operations that gives the observed answers. None means that no order can
 * explain the ledger (Herlihy and Wing, "Linearizability", 1990). States that differ only in their history
 * are returned once, by `nameOf`.
 */
export function explain(
  state: LedgerState,
  observed: readonly Observed[],
  nameOf: (state: LedgerState) => string,
): LedgerState[] {
  const missable = missableHolds(state, observed.length > 1);
  const ends: LedgerState[] = [];
  const search = (from: LedgerState, pending: readonly Pending[]): void => {
    if (pending.length === 0) ends.push(from);
    for (const next of pending) {
      if (pending.some((other) => mustPrecede(other, next))) continue;
      const others = pending.filter((other) => other !== next);
      for (const { state: to, rest } of advance(from, next, missable))
        search(to, rest ? [...others, rest] : others);
    }
  };
  search(state, observed);
  if (ends.length < 2) return ends;
  return [...new Map(ends.map((end) => [nameOf(end), end])).values()];
}

function mustPrecede({ place: one }: Observed, { place: other }: Observed): boolean {
  if (!one || one.gateway !== other?.gateway || one.accountId !== other.accountId) return false;
  const at = one.rank.findIndex((number, index) => number !== other.rank[index]);
  return (one.rank[at] ?? 0) < (other.rank[at] ?? 0);
}

interface Advance {
  state: LedgerState;
  rest?: Pending;
}

/** The possible next steps of an operation: most complete at once, with one outcome. */
function advance(state: LedgerState, pending: Pending, missable: Missable): Advance[] {
  const { operation, answer, toRelease } = pending;
  if (operation.kind !== 'gatewayLost') {
    const applied = apply(state, operation);
    return isDeepStrictEqual(applied.answer, answer) ? [{ state: applied.state }] : [];
  }
  if (toRelease === undefined) {
    if (typeof answer !== 'number') return [];
    const lapsed = apply(state, { kind: 'lapseLease', gatewayId: operation.gatewayId }).state;
    return [{ state: lapsed, rest: { ...pending, toRelease: answer } }];
  }
  return [
    ...partsOfSweep(state, missable).flatMap((part): Advance[] => {
      const left = toRelease - part.released;
      return left < 0 ? [] : [{ state: part.state, rest: { ...pending, toRelease: left } }];
    }),
    ...(toRelease === 0 && sweepMayEnd(state, missable) ? [{ state }] : []),
  ];
}

/** Groups of these holds may be left by a sweep. */
type Missable = (state: LedgerState) => string[][];

/**
 * A sweep searches for holds before it has their accounts' locks: it may miss those placed during the step. It waits
 * for an account that another operation keeps locked, but not for long: then it misses all holds of that account.
 */
function missableHolds(before: LedgerState, isBesideOthers: boolean): Missable {
  return (state) => {
    const lapsed = lapsedHolds(state);
    const recent = lapsed.filter((holdId) => !before.holds.has(holdId)).map((holdId) => [holdId]);
    if (!isBesideOthers) return recent;
    const accountOf = (holdId: string) => state.holds.get(holdId)?.admission.accountId;
    const accounts = [...new Set(lapsed.map(accountOf))];
    return [...recent, ...accounts.map((account) => lapsed.filter((id) => accountOf(id) === account))];
  };
}

/** It searches again until it sees none. */
function partsOfSweep(state: LedgerState, missable: Missable): { state: LedgerState; released: number }[] {
  return subsetsOf(missable(state)).flatMap((missed) => {
    const swept = apply(state, { kind: 'sweep', unseen: missed.flat() });
    const released = swept.answer as number;
    return released > 0 ? [{ state: swept.state, released }] : [];
  });
}

function sweepMayEnd(state: LedgerState, missable: Missable): boolean {
  const missed = new Set(missable(state).flat());
  return lapsedHolds(state).every((holdId) => missed.has(holdId));
}

function lapsedHolds(state: LedgerState): string[] {
  return [...state.holds].filter(([, hold]) => state.lapsedGateways.has(hold.gatewayId)).map(([id]) => id);
}

function subsetsOf<Item>(items: readonly Item[]): Item[][] {
  return items.reduce<Item[][]>((subsets, item) => [...subsets, ...subsets.map((s) => [...s, item])], [[]]);
}
