import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

/** Where components are used. */
const FOLDERS = ['.', '../../../apps/console/src', '../../../apps/operator-console/src'];

/** The components of the library that a console and its charts import, types left out. */
function importedComponents(): string[] {
  const charts = join(require.resolve('@mantine/charts/styles.css'), '../esm');
  const sources = [
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(__dirname, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.tsx'))
        .map((file) => read(join(folder, file))),
    ),
    ...['BarChart', 'ChartLegend', 'ChartTooltip'].map((name) =>
      readFileSync(join(charts, `${name}/${name}.mjs`), 'utf8'),
    ),
  ];
  const imports = sources.flatMap((text) => [
    ...text.matchAll(/import \{([^}]*)\} from ['"]@mantine\/core['"]/g),
  ]);
  const names = imports.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  return [...new Set(names.filter((name) => /^[A-Z]/.test(name)))];
}

describe('the styles of the component library', () => {
  const loaded = ['mantine-styles.ts', 'frame-styles.ts', 'bars.tsx'].map(read).join('');

  it('are loaded for every component that a console uses', () => {
    const fileOf = (name: string): string => `@mantine/core/styles/${name}.layer.css`;
    const folder = join(require.resolve('@mantine/core/styles.css'), '../styles');
    const styled = importedComponents().filter((name) => existsSync(join(folder, `${name}.layer.css`)));
    expect(styled.length).toBeGreaterThan(20);
    expect(styled.filter((name) => !loaded.includes(fileOf(name)))).toEqual([]);
  });

  it('come once', () => {
    const files = [...loaded.matchAll(/'@mantine.*'/g)].map(([file]) => file);
    expect(files).toHaveLength(new Set(files).size);
  });
});
