import { isDeepStrictEqual } from 'node:util';
import { toText } from '../model/admit';
import { apply } from '../model/ledger-model';
import type { LedgerState } from '../model/state';
import type { Books } from './books';
import type { CallPlace, Observed } from './explain';
import type { Issue } from './name-operations';

type BooksOf = (state: LedgerState) => Books;

/** The possible state that matches the database. Throws if none does. */
export function theOneInTheBooks(
  possible: readonly LedgerState[],
  observed: Books,
  booksOf: BooksOf,
): LedgerState {
  const one = possible.find((state) => isDeepStrictEqual(booksOf(state), observed));
  if (one) return one;
  const [first] = possible;
  const differences = first ? differencesOf(booksOf(first), observed) : [];
  throw new Error(
    [`The rows are those of none of ${String(possible.length)} possible states.`, ...differences].join('\n'),
  );
}

/** Why a step is impossible: its requests and answers, and the model's answers in sequence. */
export function unexplained(before: LedgerState, observed: readonly Observed[], booksOf: BooksOf): Error {
  let state = before;
  const lines = observed.map(({ operation, answer, place }) => {
    const applied = apply(state, operation);
    state = applied.state;
    const way = place ? ` (${place.gateway})` : '';
    return `${show(operation)}${way}\n  was answered ${show(answer)}; the model, in this order: ${show(applied.answer)}`;
  });
  return new Error(
    ['No order of these operations explains their answers.', ...lines, 'Before:', show(booksOf(before))].join(
      '\n',
    ),
  );
}

function differencesOf(expected: Books, observed: Books): string[] {
  return (Object.keys(expected) as (keyof Books)[]).flatMap((table) => [
    ...expected[table]
      .filter((line) => !observed[table].includes(line))
      .map((line) => `${table}: only the model has ${line}`),
    ...observed[table]
      .filter((line) => !expected[table].includes(line))
      .map((line) => `${table}: only the database has ${line}`),
  ]);
}

function show(value: unknown): string {
  const text = JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'bigint' ? `${String(part)}n` : isBytes(part) ? toText(Buffer.from(part.data)) : part,
  );
  return text.replaceAll('"', '');
}

/** A Buffer in the form that JSON.stringify passes on. */
function isBytes(part: unknown): part is { data: number[] } {
  return typeof part === 'object' && part !== null && 'type' in part && part.type === 'Buffer';
}

/**
 * The positions of items issued in one turn within their gateways' calls. Each gateway sends all waiting
 * items of an account in one call, charges and releases first, and these in order of arrival. A second
 * settlement of a hold waits for the next call.
 */
export function callPlaces(issues: readonly Issue[]): (CallPlace | undefined)[] {
  const settled = new Map<string, number>();
  return issues.map(({ via, operation }, arrival) => {
    if (via === 'pool') return undefined;
    if (operation.kind === 'admit') {
      return { gateway: via, accountId: operation.admission.accountId, rank: [0, 1, arrival] };
    }
    if (operation.kind !== 'charge' && operation.kind !== 'release') return undefined;
    const name = `${via} ${operation.holdId}`;
    const call = settled.get(name) ?? 0;
    settled.set(name, call + 1);
    return { gateway: via, accountId: operation.accountId, rank: [call, 0, arrival] };
  });
}

/** Runs one global operation at a time. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Waits for all earlier ones, whatever their outcome. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
