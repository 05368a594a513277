import type { Books } from '../audit/evidence';
import { lastChangeBefore, statesBetween, type History, type KeyState } from './history';
import { BARRED_MODEL, LISTED_WITHOUT, SERVED, type Attempt } from './load';

/** One fault, as a sentence. */
export type Finding = string;

export interface Evidence {
  attempts: readonly Attempt[];
  /** By the number of the customer. */
  histories: readonly History[];
  books: Pick<Books, 'charges' | 'reviews' | 'heldRequestIds'>;
  /** Number of upstream calls, by the id of the request. */
  upstreamCalls: ReadonlyMap<string, number>;
}

export interface Audit {
  findings: Finding[];
  /** Requests started after the answer to a change, with rights that it took away: each had to be refused. */
  mustBeRefused: number;
}

const NO_ACCESS = '403 beta_access_required';
const ENDED_MIDWAY = 'failed midway with beta_access_required';

/**
 * Checks every answer against the state of the key while its request ran, and the books against the answers:
 * a refused request is free and reaches no model; a served one is charged once, and so is a stream that a suspension ended.
 */
export function audit({ attempts, histories, books, upstreamCalls }: Evidence): Audit {
  const findings: Finding[] = [];
  const charges = countBy(books.charges.map(({ requestId }) => requestId));
  const reviewed = new Set(books.reviews.map(({ requestId }) => requestId));
  let mustBeRefused = 0;
  for (const attempt of attempts) {
    const history = histories[attempt.customer] ?? [];
    const states = statesBetween(history, attempt.begunAt, attempt.endedAt);
    const isEnded = mayBeEnded(states, attempt);
    const verdicts = new Set(states.map((state) => verdictOf(state, attempt)));
    if (isEnded && attempt.asked.kind === 'stream') verdicts.add(ENDED_MIDWAY);
    if (![...verdicts].some(isServed)) mustBeRefused++;
    const about = (what: string): void => {
      findings.push(`${describe(attempt, history)}: ${what}`);
    };
    const { asked, outcome, requestId } = attempt;
    if (!verdicts.has(outcome)) about(`${outcome}, where only ${[...verdicts].join(' or ')} is right`);
    const due = asked.kind !== 'models' && (outcome === SERVED || outcome === ENDED_MIDWAY) ? 1 : 0;
    const charged = charges.get(requestId) ?? 0;
    if (charged !== due) about(`${outcome}, and charged ${String(charged)} times`);
    if (reviewed.has(requestId)) about(`${outcome}, and in review`);
    const calls = upstreamCalls.get(requestId) ?? 0;
    const mayBeSent = isEnded && outcome === NO_ACCESS ? 1 : due;
    if (calls !== due && calls !== mayBeSent) about(`${outcome}, and sent upstream ${String(calls)} times`);
  }
  for (const requestId of books.heldRequestIds) findings.push(`request ${requestId} is still held`);
  return { findings, mustBeRefused };
}

function describe(
  { requestId, asked, customer, secret, gateway, begunAt }: Attempt,
  history: History,
): string {
  const what = asked.kind === 'models' ? 'the models' : `a ${asked.kind} of ${asked.model}`;
  const change = lastChangeBefore(history, begunAt);
  const since = change
    ? `begun ${String(begunAt - change.answeredAt)} after "${change.what}" was answered`
    : '';
  return `request ${requestId} (${what}, gateway ${String(gateway)}, secret ${String(secret)} of customer ${String(customer)}, ${since})`;
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * The required answer to a request while a state holds. Source: docs/design/decisions.md, the order of the
 * preconditions.
 */
export function verdictOf(state: KeyState, { asked, secret }: Pick<Attempt, 'asked' | 'secret'>): string {
  if (state.liveSecret !== secret) return '401 invalid_api_key';
  if (state.isSuspended) return NO_ACCESS;
  if (!state.isBarred) return SERVED;
  if (asked.kind === 'models') return LISTED_WITHOUT;
  return asked.model === BARRED_MODEL ? '403 model_not_allowed' : SERVED;
}

/** Whether a suspension may have ended a request that had been admitted. */
function mayBeEnded(states: readonly KeyState[], attempt: Attempt): boolean {
  const admitted = states.findIndex((state) => isServed(verdictOf(state, attempt)));
  return admitted >= 0 && states.slice(admitted).some(({ isSuspended }) => isSuspended);
}

export function isServed(outcome: string): boolean {
  return outcome === SERVED || outcome === LISTED_WITHOUT;
}
