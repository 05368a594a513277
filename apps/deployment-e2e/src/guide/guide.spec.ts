import { blocksOf, commandsOf } from './guide';

const GUIDE = `# Guide

## Start

\`\`\`sh
one   # a comment, not a heading
two
\`\`\`

1. TLS:

   \`\`\`sh
   three <<END
     deeper
   END
   \`\`\`

   \`\`\`yaml
   a: b
   \`\`\`

## Upgrade

\`\`\`sh
four
\`\`\`
`;

it('reads the blocks of one section, without the indentation of a list', () => {
  expect(blocksOf(GUIDE, 'Start')).toEqual([
    { language: 'sh', text: 'one   # a comment, not a heading\ntwo\n' },
    { language: 'sh', text: 'three <<END\n  deeper\nEND\n' },
    { language: 'yaml', text: 'a: b\n' },
  ]);
});

it('finds the one block of a section that has a command', () => {
  expect(commandsOf(GUIDE, 'Upgrade', 'four')).toBe('four\n');
  expect(() => commandsOf(GUIDE, 'Upgrade', 'one')).toThrow('Upgrade has 0 blocks with one.');
  expect(() => commandsOf(GUIDE, 'Start', 'e')).toThrow('Start has 2 blocks with e.');
  expect(() => commandsOf(GUIDE, 'Restore', 'a')).toThrow('The guide has no section Restore.');
});
