import type { Answer, Operation } from '../model/operation';

/** How often each answer was given. */
export type Tally = Map<string, number>;

export function count(tally: Tally, operation: Operation, answer: Answer): void {
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
