import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, shellWords } from '../test/all-commands';

const OF_ALL = ['--json', '--by'];

/** The lines `admin …` of a page's blocks, and those within its sentences. */
function commandsOn(page: string): string[] {
  const text = readFileSync(join(__dirname, '../../../docs/operate', page), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) =>
    span.replaceAll(/\s+/g, ' '),
  );
  return [...blocks, ...spans]
    .filter((line) => line.startsWith('admin '))
    .map((line) => line.replace(/ +#.*$/, ''));
}

const COMMANDS = ['alerts.md', 'operating.md', 'reviews.md', 'kubernetes.md'].flatMap((page) =>
  commandsOn(page).map((line) => [page, line] as const),
);

it.each(COMMANDS)('on the page %s, "%s" is a command of the program, with its options', (_page, line) => {
  const words = shellWords(line).slice(1);
  const command = commandOf(words);
  expect([line, command]).toEqual([line, expect.anything()]);
  const known = [...(command?.options ?? []).map(({ long }) => long), ...OF_ALL];
  expect(words.filter((word) => word.startsWith('--') && !known.includes(word))).toEqual([]);
});

it('a command or an option that does not exist is found', () => {
  expect(commandOf(['review', 'decide', 'rev_1'])).toBeUndefined();
  expect(commandOf(shellWords('review resolve rev_1 --charge'))?.name()).toBe('resolve');
});
