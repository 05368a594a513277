import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USAGE_SHAPES, type CountKind, type UsageShape } from './shapes';

const page = readFileSync(join(__dirname, '../../../../../docs/use/compatibility.md'), 'utf8');

const KINDS: Record<CountKind, string> = {
  prompt: 'prompt',
  completion: 'output',
  total: 'total',
  cached: 'from a cache',
  written: 'to a cache',
  reasoning: 'thoughts',
};

/** A row in the form of the page. */
function rowOf({
  servers,
  wire,
  place,
  names,
  isCacheBeside,
  thoughtsBeside,
  isAdded,
  source,
}: UsageShape): string[] {
  const counts = (Object.keys(KINDS) as CountKind[]).flatMap((kind) => {
    const said = names[kind]?.map((name) =>
      name
        .split(' + ')
        .map((one) => `\`${one}\``)
        .join(' + '),
    );
    return said ? [`${KINDS[kind]}: ${said.join(', ')}`] : [];
  });
  const beside = [
    ...(isCacheBeside ? ['caches'] : []),
    ...(thoughtsBeside === 'total' ? ['thoughts, in the total'] : []),
    ...(thoughtsBeside === 'nowhere' ? ['thoughts'] : []),
    ...(isAdded ? ['the response'] : []),
  ];
  return [servers, wire, `\`${place}\``, counts.join('; '), beside.join(', '), `[source](${source})`];
}

it('the page shows the table', () => {
  const section = page.split(/^## /m).find((text) => text.startsWith('Usage that servers report\n')) ?? '';
  const [, , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  expect(rows).toEqual(USAGE_SHAPES.map(rowOf));
});

it('each row has a shape of its own and a public source', () => {
  const shapes = USAGE_SHAPES.map((shape) => JSON.stringify({ ...shape, servers: '', source: '' }));
  expect(new Set(shapes).size).toBe(shapes.length);
  for (const { source } of USAGE_SHAPES) expect(new URL(source).protocol).toBe('https:');
});
