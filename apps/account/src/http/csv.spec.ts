import { toCsv, type CsvColumn } from './csv';

const columns: CsvColumn<{ name: string | null; amount: string }>[] = [
  { name: 'name', valueOf: (row) => row.name },
  { name: 'amount', valueOf: (row) => row.amount },
];
const lineOf = async (name: string | null, amount = '0') =>
  (await toCsv(columns, [{ name, amount }])).split('\r\n')[1];

describe('toCsv', () => {
  it('begins with the names, also if there is nothing else', async () => {
    expect(await toCsv(columns, [])).toBe('name,amount\r\n');
  });

  it('quotes what needs it', async () => {
    expect(await toCsv(columns, [{ name: 'a,"b"\nc', amount: '1' }])).toBe(
      'name,amount\r\n"a,""b""\nc",1\r\n',
    );
    expect(await lineOf(null)).toBe(',0');
  });

  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\tx', '＝1'])('disarms %j', async (name) => {
    expect(await lineOf(name)).toContain(`'${name}`);
  });

  it('leaves negative amounts alone', async () => {
    expect(await lineOf('x', '-0.000010500')).toBe('x,-0.000010500');
  });

  it('lets others be served while it writes a year by the hour', async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const rows = Array.from({ length: 8_784 }, (_, i) => ({ name: `hour ${String(i)}`, amount: '1' }));
    const lines = (await toCsv(columns, rows)).split('\r\n');
    clearInterval(counting);
    expect(lines).toHaveLength(1 + 8_784 + 1);
    expect(lines[8_784]).toBe('hour 8783,1');
    expect(turns).toBeGreaterThan(5);
  });
});
