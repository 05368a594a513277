import { APPS, type Variable } from './fields';
import { schemasOf, VARIABLE_GROUPS } from './variables';

const rows = Object.values(VARIABLE_GROUPS).flatMap((group) => Object.entries<Variable>(group));

it('every variable has one row with its meaning and the apps that read it', () => {
  const names = rows.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const [name, row] of rows) {
    expect([name, row.meaning]).toEqual([name, expect.stringMatching(/^[^.\s].*[^.\s]$/)]);
    expect([name, APPS.filter((app) => row[app])]).toEqual([
      name,
      expect.arrayContaining([expect.anything()]),
    ]);
  }
});

it('every app has its variables', () => {
  for (const app of APPS)
    expect(Object.keys(schemasOf(app))).toContain(app === 'edge' ? 'FAREBOX_PORT' : 'DATABASE_URL');
});

it.each(
  APPS.flatMap((app) => Object.entries(schemasOf(app)).map(([name, schema]) => ({ app, name, schema }))),
)("$app's message about a wrong $name completes a sentence", ({ schema }) => {
  const { error } = schema.safeParse('\u0000');
  expect(error?.issues[0]?.message ?? 'must be anything').toMatch(/^must /);
});
