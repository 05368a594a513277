import { CallGate, verdictOf, type CallWatch, type CircuitChange } from './call-gate';
import { UpstreamFailure } from './failure';

const circuit = { failures: 2, windowMs: 1_000, firstPauseMs: 100, longestPauseMs: 1_000 };

function givenGate(maxConcurrent = 100) {
  let nowMs = 0;
  const changes: [string, CircuitChange][] = [];
  const gate = new CallGate({
    maxConcurrent,
    circuit,
    now: () => nowMs,
    onCircuitChange: (model, change) => changes.push([model, change]),
  });
  const enter = (model = 'm'): CallWatch => {
    const entered = gate.enter(model);
    if (entered instanceof UpstreamFailure) throw entered;
    return entered;
  };
  const fail = (model = 'm'): void => {
    enter(model).ended('fails');
  };
  return { gate, enter, fail, changes, pass: (ms: number) => (nowMs += ms) };
}

describe('a gate with a bound', () => {
  it('lets so many calls in at once, whatever they ask for', () => {
    const { gate, enter } = givenGate(2);
    const first = enter('a');
    enter('b');
    expect(gate.enter('c')).toMatchObject({ kind: 'full', retryAfterMs: 1_000 });
    first.ended('works');
    enter('c');
    expect(gate.enter('a')).toMatchObject({ kind: 'full' });
  });

  it('gives a place back once, whatever is told of a call after its end', () => {
    const { gate, enter } = givenGate(1);
    const call = enter();
    call.ended('nothing');
    call.ended('works');
    enter();
    expect(gate.enter('m')).toMatchObject({ kind: 'full' });
  });
});

describe('a gate to a model that fails', () => {
  it('closes it off, says for how long, and tells', () => {
    const { gate, fail, changes, pass } = givenGate();
    fail();
    fail();
    pass(30);
    expect(gate.enter('m')).toMatchObject({ kind: 'circuit_open', retryAfterMs: 70 });
    expect(changes).toEqual([['m', { state: 'open', pauseMs: 100 }]]);
  });

  it('leaves the other models alone', () => {
    const { enter, fail } = givenGate();
    fail();
    fail();
    enter('other').ended('works');
  });

  it('lets one call find out after the pause, and all of them when its answer begins', () => {
    const { gate, enter, fail, changes, pass } = givenGate();
    fail();
    fail();
    pass(100);
    const trial = enter();
    expect(gate.enter('m')).toMatchObject({ kind: 'circuit_open' });
    trial.begun();
    enter().ended('works');
    expect(changes.at(-1)).toEqual(['m', { state: 'closed' }]);
    trial.ended('works');
    expect(changes).toHaveLength(2);
  });

  it('counts a trial that breaks off after its beginning like any other call', () => {
    const { enter, fail, changes, pass } = givenGate();
    fail();
    fail();
    pass(100);
    const trial = enter();
    trial.begun();
    trial.ended('fails');
    enter().ended('works');
    expect(changes.map(([, { state }]) => state)).toEqual(['open', 'closed']);
  });

  it('does not take a former trial for the one that runs now', () => {
    const { gate, enter, fail, pass } = givenGate();
    fail();
    fail();
    pass(100);
    const former = enter();
    former.begun();
    fail();
    fail();
    pass(100);
    enter();
    former.ended('works');
    expect(gate.enter('m')).toMatchObject({ kind: 'circuit_open' });
  });

  it('waits longer after each trial that fails, and lets the next one in where nobody waited for its end', () => {
    const { gate, enter, fail, changes, pass } = givenGate();
    fail();
    fail();
    pass(100);
    fail();
    expect(gate.enter('m')).toMatchObject({ kind: 'circuit_open', retryAfterMs: 200 });
    pass(200);
    enter().ended('nothing');
    enter().begun();
    expect(changes.map(([, change]) => change)).toEqual([
      { state: 'open', pauseMs: 100 },
      { state: 'open', pauseMs: 200 },
      { state: 'closed' },
    ]);
  });
});

it.each([
  ['unavailable', 'fails'],
  ['timeout', 'fails'],
  ['garbage', 'fails'],
  ['refused_request', 'works'],
  ['misconfigured', 'works'],
] as const)('an upstream that is %s %s', (kind, verdict) => {
  expect(verdictOf(new UpstreamFailure(kind))).toBe(verdict);
});
