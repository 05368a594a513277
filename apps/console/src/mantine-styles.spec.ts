import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

/** The components of the library that the console imports, types left out. */
function importedComponents(): string[] {
  const sources = readdirSync(__dirname, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.tsx'))
    .map(read);
  const imports = sources.flatMap((text) => [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)]);
  const names = imports.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  return [...new Set(names.filter((name) => /^[A-Z]/.test(name)))];
}

describe('the styles of the component library', () => {
  const loaded = `${read('mantine-styles.ts')}${read('frame-styles.ts')}`;

  it('are loaded for every component that the console uses', () => {
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
