import { median, toMarkdownTable } from './bench';

it.each([
  [[3, 1, 2], 2],
  [[4, 1, 3, 2], 3],
  [[7], 7],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

it('an empty list has no median', () => {
  expect(median([])).toBeNaN();
});

it('a table has aligned columns, and is valid Markdown', () => {
  expect(
    toMarkdownTable(
      ['design', 'rate'],
      [
        ['batched', '14,000'],
        ['one', '7'],
      ],
    ),
  ).toBe(
    ['| design  |   rate |', '| ------- | -----: |', '| batched | 14,000 |', '| one     |      7 |'].join(
      '\n',
    ),
  );
});
