import { freeMemory } from './free-memory';
import { readBody } from './json/json-lists';

/** Node 20 cannot free them. */
const LEFT = 'transfer' in ArrayBuffer.prototype ? 0 : 70_000;

it('the bytes of a buffer with its own memory are freed', () => {
  const buffer = Buffer.alloc(70_000, 'a');
  freeMemory(buffer);
  expect(buffer).toHaveLength(LEFT);
});

it('a buffer that shares its memory is left as it is', () => {
  const whole = Buffer.from('all of it');
  for (const shared of [whole.subarray(0, 3), Buffer.from('of a pool')]) {
    const text = shared.toString();
    freeMemory(shared);
    expect(shared.toString()).toBe(text);
  }
  expect(whole.toString()).toBe('all of it');
});

it.each([
  ['is collected once before the objects of a body with many values exist', 10_000, 1],
  ['is not collected for a body with fewer values', 5_000, 0],
])('the young generation %s', async (_, objects, times) => {
  const { gc } = globalThis;
  const collect = jest.fn();
  globalThis.gc = collect;
  try {
    await readBody(Buffer.from(JSON.stringify({ list: Array(objects).fill({}) })));
  } finally {
    globalThis.gc = gc;
  }
  expect(collect.mock.calls).toEqual(Array(times).fill([{ type: 'minor' }]));
});
