import { PiecedText } from './pieced-text';

it.each([0, 1, 127, 128, 129, 1_000])('%d pieces become one text', (count) => {
  const pieces = Array.from({ length: count }, (_, i) => ` ${String(i)}`);
  const text = new PiecedText();
  for (const piece of pieces) text.add(piece);
  expect(text.text).toBe(pieces.join(''));
});

it('a text that was read can be appended to', () => {
  const text = new PiecedText();
  text.add('a');
  expect(text.text).toBe('a');
  text.add('b');
  expect(text.text).toBe('ab');
});
