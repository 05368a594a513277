import { freeMemory } from './free-memory';

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
