import { turnsBeside } from '@farebox/testing';
import { csvFileName, mapInTurns, timeColumns, toCsv, toJson, type CsvColumn } from './csv';

const columns: CsvColumn<{ name: string | null; amount: string }>[] = [
  { name: 'name', valueOf: (row) => row.name },
  { name: 'amount', valueOf: (row) => row.amount },
];
const lineOf = async (name: string | null, amount = '0') =>
  (await toCsv(columns, [{ name, amount }])).split('\r\n')[1];

const lineAsWritten = (name: string) => toCsv(columns, [{ name, amount: '0' }]);

describe('toCsv', () => {
  it('begins with the column names, even without rows', async () => {
    expect(await toCsv(columns, [])).toBe('name,amount\r\n');
  });

  it('quotes values that need it', async () => {
    expect(await toCsv(columns, [{ name: 'a,"b"\nc', amount: '1' }])).toBe(
      'name,amount\r\n"a,""b""\nc",1\r\n',
    );
    expect(await lineOf(null)).toBe(',0');
  });

  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\tx', '＝1'])('disarms %j', async (name) => {
    expect(await lineOf(name)).toContain(`'${name}`);
  });

  it.each([
    ['a;=1+1', '"a;\'=1+1"'],
    ['a\t+1', '"a\t\'+1"'],
    ['a|@SUM(A1)', '"a|\'@SUM(A1)"'],
    ['a,-1+1', '"a,\'-1+1"'],
    ['a\n=1', '"a\n\'=1"'],
    ['a\r\n＝1', '"a\r\n\'＝1"'],
    ['a;"=1', '"a;\'""=1"'],
    ['a; =1', '"a;\' =1"'],
    [' =1', "' =1"],
    ['=1;=2', '"\'=1;\'=2"'],
  ])('disarms a formula behind another separator: %j', async (name, written) => {
    expect(await lineAsWritten(name)).toBe(`name,amount\r\n${written},0\r\n`);
  });

  it.each(['a=1', 'a;b', 'gpt-4.1', 'ada@example.com', 'a|b-c', 'one, two'])(
    'leaves %j alone',
    async (name) => {
      expect(await lineAsWritten(name)).toContain(name);
    },
  );

  it('leaves negative amounts alone', async () => {
    expect(await lineOf('x', '-0.000010500')).toBe('x,-0.000010500');
  });

  it('lets other requests run while it writes a year of hours', async () => {
    const rows = Array.from({ length: 8_784 }, (_, i) => ({ name: `hour ${String(i)}`, amount: '1' }));
    let lines: string[] = [];
    const { turns } = await turnsBeside(async () => {
      lines = (await toCsv(columns, rows)).split('\r\n');
    });
    expect(lines).toHaveLength(1 + 8_784 + 1);
    expect(lines[8_784]).toBe('hour 8783,1');
    expect(turns).toBeGreaterThan(5);
  });
});

it.each([
  ['Farebox', { start: '2026-10-01', end: '2026-11-01' }, 'farebox-usage-2026-10-01-to-2026-10-31.csv'],
  ['Müller & Söhne', { start: '2026-10-01' }, 'muller-sohne-usage-2026-10-01-to-2026-11-21.csv'],
  ['株式会社', { end: '2026-11-01T00:00:01Z' }, 'farebox-usage-until-2026-11-01.csv'],
  ['a"; filename=x', {}, 'a-filename-x-usage-until-2026-11-21.csv'],
])(
  'a file of %s with the range %j is called %s',
  (name, range: { start?: string; end?: string }, fileName) => {
    const brand = { name, logoUrl: undefined, color: undefined, supportEmail: undefined };
    const [start, end] = [range.start, range.end].map((text) => (text === undefined ? text : new Date(text)));
    expect(csvFileName(brand, 'usage', { start, end }, new Date('2026-11-21T12:00:00Z'))).toBe(fileName);
  },
);

it('has times as spreadsheets read them, beside Unix seconds', async () => {
  expect(await toCsv(timeColumns('at'), [{ at: 1_795_262_400 }])).toBe(
    'at,at_iso\r\n1795262400,2026-11-21T12:00:00Z\r\n',
  );
});

it('between the parts of a long table others get as much time, not just one turn', async () => {
  const rows = Array.from({ length: 2_500 }, (_, i) => i);
  const slow = (row: number): number => {
    // A part of 250 rows takes five milliseconds.
    for (const endMs = performance.now() + 0.02; performance.now() < endMs;);
    return row;
  };
  expect((await turnsBeside(() => mapInTurns(rows, slow))).turns).toBeGreaterThan(10 * 3);
});

it('writes a plain cell the same way as a quoted one', async () => {
  for (const text of [
    'a',
    '0',
    '-1.5',
    'a b',
    'a ',
    ' a',
    'openai/gpt-4.1:free',
    '',
    'ä',
    '1e5',
    'a-',
    '_',
  ]) {
    const alone = await lineOf(text);
    const withOthers = (
      await toCsv(
        columns,
        [text, 'a,b'].map((name) => ({ name, amount: '0' })),
      )
    ).split('\r\n');
    expect(alone).toBe(withOthers[1]);
  }
});

it('writes a record with long lists as JSON.stringify does, in turns', async () => {
  const rows = Array.from({ length: 2_600 }, (_, i) => ({
    i,
    text: `"${String(i)}" é 語`,
    nothing: undefined,
    n: null,
  }));
  const record = {
    object: 'x',
    'odd "name"': 1,
    nothing: undefined,
    rows,
    short: [1],
    others: rows.slice(0, 300),
  };
  let json = '';
  const { turns } = await turnsBeside(async () => {
    json = Buffer.concat(await toJson(record)).toString();
  });
  expect(json).toBe(JSON.stringify(record));
  expect(turns).toBeGreaterThan(10);
});
