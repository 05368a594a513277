import fc from 'fast-check';
import { apply } from '../model/ledger-model';
import type { Answer, Operation } from '../model/operation';
import type { LedgerState } from '../model/state';
import { booksOf, type Books } from './books';
import { explain, type Observed } from './explain';
import type { GeneratedOperation, GeneratedRun, GeneratedStep } from './generated-run';
import { callPlaces, theOneInTheBooks, unexplained, type Turns } from './judge';
import { issueOperation, releaseAll, type LedgerUnderTest } from './ledger-under-test';
import { nameOperation, type HoldName, type Issue } from './name-operations';
import { endDay, endMonth } from './pass-time';
import { readBooks } from './read-books';
import { readDate, setUpStage, type Stage } from './stage';

/** Shared by the runs of a file. */
export interface Grounds {
  ledger: LedgerUnderTest;
  /** A sweep takes the holds of every lapsed gateway, so only one run at a time may lose its own. */
  losses: Turns;
  tally: Tally;
}

/** The progress of a run. */
interface Progress {
  state: LedgerState;
  /** Every hold ever placed, oldest first. */
  placed: readonly HoldName[];
}

/** Plays a run on the real ledger. Rejects if the model cannot explain the ledger. */
export async function playRun(grounds: Grounds, run: GeneratedRun): Promise<void> {
  const { operatorPool } = grounds.ledger;
  const stage = await setUpStage(operatorPool, run);
  try {
    let progress: Progress = { state: stage.state, placed: [] };
    for (const step of run.steps) progress = await playStep(grounds, stage, progress, step);
    theOneInTheBooks([progress.state], await readStage(grounds, stage), stageBooks(stage));
  } catch (error) {
    // Discards a run during which the real day changed: the model's calendar does not know that day.
    fc.pre((await readDate(operatorPool)) === stage.date);
    throw error;
  } finally {
    await releaseAll(grounds.ledger, stage.accountIds);
  }
}

async function playStep(
  grounds: Grounds,
  stage: Stage,
  progress: Progress,
  step: GeneratedStep,
): Promise<Progress> {
  const { state, placed } = progress;
  if (step === 'dayPasses' || step === 'monthPasses') {
    const end = step === 'dayPasses' ? endDay : endMonth;
    await end(grounds.ledger.operatorPool, { ...stage, today: state.today });
    return { ...progress, state: apply(state, { kind: step }).state };
  }
  const issues = withOneLoss(step).map((generated) => nameOperation({ ...stage, state, placed }, generated));
  if (!issues.some(({ operation }) => operation.kind === 'gatewayLost'))
    return issueTogether(grounds, stage, progress, issues);
  return grounds.losses.take(async () => {
    const after = await issueTogether(grounds, stage, progress, issues);
    // Holds placed during the sweep are left for the next one.
    return issueTogether(grounds, stage, after, [{ via: 'pool', operation: { kind: 'sweep', unseen: [] } }]);
  });
}

function withOneLoss(step: readonly GeneratedOperation[]): GeneratedOperation[] {
  const first = step.findIndex(({ kind }) => kind === 'gatewayLost');
  return step.filter(({ kind }, i) => kind !== 'gatewayLost' || i === first);
}

/** Issues operations in one turn, and finds the resulting state. */
async function issueTogether(
  grounds: Grounds,
  stage: Stage,
  { state, placed }: Progress,
  issues: readonly Issue[],
): Promise<Progress> {
  const answers = await allAnswers(
    issues.map((issue) => issueOperation(grounds.ledger, stage.accountIds, issue)),
  );
  const places = callPlaces(issues);
  const observed = issues.flatMap(({ operation }, i): Observed[] => {
    const answer = answers[i];
    return answer === undefined ? [] : [{ operation, answer, place: places[i] }];
  });
  for (const { operation, answer } of observed) count(grounds.tally, operation, answer);

  const books = stageBooks(stage);
  const ends = explain(state, observed, (end) => JSON.stringify(books(end)));
  const [only, ...others] = ends;
  if (!only) throw unexplained(state, observed, books);
  const end = others.length === 0 ? only : theOneInTheBooks(ends, await readStage(grounds, stage), books);
  return { state: end, placed: [...placed, ...placedBy(observed)] };
}

function placedBy(observed: readonly Observed[]): HoldName[] {
  return observed.flatMap(({ operation, answer }) =>
    operation.kind === 'admit' &&
    typeof answer === 'object' &&
    'outcome' in answer &&
    answer.outcome === 'admitted'
      ? [operation.admission]
      : [],
  );
}

/** Waits for all of them, even if one fails, so that none continues during the next step. */
async function allAnswers<Answer>(asked: readonly Promise<Answer>[]): Promise<Answer[]> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}

function stageBooks({ gatewayId }: Stage): (state: LedgerState) => Books {
  return (state) => booksOf(state, gatewayId);
}

function readStage({ ledger }: Grounds, { accountIds, gatewayId }: Stage): Promise<Books> {
  return readBooks(ledger.operatorPool, accountIds, gatewayId);
}

/** Number of answers of each kind. */
export type Tally = Map<string, number>;

function count(tally: Tally, operation: Operation, answer: Answer): void {
  const name = `${operation.kind} ${nameOf(answer)}`;
  tally.set(name, (tally.get(name) ?? 0) + 1);
}

export function fromTally(tally: Tally): string {
  return [...tally]
    .sort()
    .map(([name, times]) => `${name} ${String(times)}`)
    .join(', ');
}

function nameOf(answer: Answer): string {
  if (typeof answer === 'number') return answer > 0 ? 'some' : 'none';
  if (typeof answer !== 'object') return String(answer);
  if ('outcome' in answer) return answer.outcome;
  return answer.created ? 'created' : 'made_before';
}
