import {
  byConstructor,
  compareHeaps,
  fitLine,
  growthPerHour,
  judgeGrowth,
  kibPerStream,
  type MemorySample,
} from './memory';

it('the memory of a stream is the difference to the memory at rest', () => {
  expect(kibPerStream(100, 200, 1_024)).toBe(100);
  expect(kibPerStream(100, 200, 2_048)).toBe(50);
});

const MINUTE_MS = 60_000;
const sampleAt = (minute: number, heapMib: number): MemorySample => ({
  atMs: minute * MINUTE_MS,
  residentMib: 0,
  residentCollectedMib: 0,
  heapMib,
  externalMib: 0,
  youngMib: 0,
});

it('a line is found in points that lie on it', () => {
  const { slope, slopeError, meanY } = fitLine([
    { x: 0, y: 1 },
    { x: 1, y: 3 },
    { x: 2, y: 5 },
  ]);
  expect([slope, slopeError, meanY]).toEqual([2, 0, 3]);
});

it('points beside a line have an error', () => {
  // Residuals of -1/6, 1/3, -1/6 about 1/2 x: their squares are 1/6, over one degree of freedom and a spread of 2.
  const { slope, slopeError } = fitLine([
    { x: 0, y: 0 },
    { x: 1, y: 1 },
    { x: 2, y: 1 },
  ]);
  expect(slope).toBeCloseTo(0.5);
  expect(slopeError).toBeCloseTo(Math.sqrt(1 / 12));
});

it('two points give no result', () => {
  expect(
    fitLine([sampleAt(0, 1), sampleAt(1, 1)].map(({ atMs, heapMib }) => ({ x: atMs, y: heapMib }))),
  ).toEqual({
    slope: Number.NaN,
    slopeError: Number.NaN,
    meanY: Number.NaN,
  });
});

it('a growth of a hundredth a minute is more than half in an hour', () => {
  const samples = Array.from({ length: 10 }, (_, minute) => sampleAt(minute, 100 + minute));
  const { percent, errorPercent } = growthPerHour(samples, 'heapMib');
  // The mean is that of minutes 2 to 9.
  expect(percent).toBeCloseTo((60 / 105.5) * 100);
  expect(errorPercent).toBeCloseTo(0);
});

it('the growth at the beginning is ignored', () => {
  const samples = Array.from({ length: 10 }, (_, minute) => sampleAt(minute, minute < 2 ? 50 : 100));
  expect(growthPerHour(samples, 'heapMib').percent).toBe(0);
});

it.each([
  [{ percent: -3, errorPercent: 1 }, 'flat'],
  [{ percent: 4, errorPercent: 1 }, 'flat'],
  [{ percent: 20, errorPercent: 1 }, 'grows'],
  [{ percent: 6, errorPercent: 1 }, 'undecided'],
  [{ percent: 1, errorPercent: 30 }, 'undecided'],
  [{ percent: Number.NaN, errorPercent: Number.NaN }, 'undecided'],
])('a growth of %j is judged as: %s', (growth, verdict) => {
  expect(judgeGrowth(growth)).toBe(verdict);
});

/** `nodes`: type, name and size of each. */
const snapshotOf = (...nodes: [type: number, name: number, size: number][]): string =>
  JSON.stringify({
    snapshot: {
      meta: {
        node_fields: ['type', 'name', 'id', 'self_size', 'edge_count'],
        node_types: [['object', 'string', 'closure'], 'string', 'number', 'number', 'number'],
      },
    },
    nodes: nodes.flatMap(([type, name, size], id) => [type, name, id, size, 0]),
    strings: ['Socket', 'hello', 'good bye', 'onread'],
  });

const OPEN = snapshotOf([0, 0, 100], [0, 0, 120], [1, 1, 16], [1, 2, 24], [2, 3, 64]);

it('objects are counted by constructor, strings together', () => {
  expect(Object.fromEntries(byConstructor(OPEN))).toEqual({
    Socket: { count: 2, bytes: 220 },
    '(string)': { count: 2, bytes: 40 },
    '(closure) onread': { count: 1, bytes: 64 },
  });
});

it('growth is shown per stream', () => {
  const compared = compareHeaps({ rest: snapshotOf([0, 0, 100], [2, 3, 64]), open: OPEN }, 2);
  expect(compared.split('\n')).toEqual([
    '| constructor      | a stream | bytes a stream |',
    '| ---------------- | -------: | -------------: |',
    '| Socket           |     0.50 |             60 |',
    '| (string)         |     1.00 |             20 |',
    '| (closure) onread |     0.00 |              0 |',
    '',
    'All: 80 bytes a stream.',
  ]);
});
