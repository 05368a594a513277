import { toFields, toTable } from './text-table';

it('a table has its columns below each other, wide characters and all', () => {
  const text = toTable(
    [{ name: 'name' }, { name: 'dollars', align: 'right' }, { name: 'note' }],
    [
      ['Ada', '1.5', ''],
      ['日本', '12.25', 'x'],
    ],
  );
  expect(text).toBe(['NAME  DOLLARS  NOTE', 'Ada       1.5', '日本    12.25  x'].join('\n'));
});

it('fields have their texts below each other', () => {
  expect(
    toFields([
      ['a', 'one'],
      ['longer', 'two  words'],
    ]),
  ).toBe('a       one\nlonger  two  words');
});
