import { toMarkdownTable } from './markdown-table';

it('a table has its columns in line, and is Markdown', () => {
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
