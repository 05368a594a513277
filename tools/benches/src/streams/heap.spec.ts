import { byConstructor, compareHeaps } from './heap';

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

it('what is there more is said for each stream', () => {
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
