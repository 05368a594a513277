import { toCsv, type CsvColumn } from './csv';

const columns: CsvColumn<{ name: string | null; amount: string }>[] = [
  { name: 'name', valueOf: (row) => row.name },
  { name: 'amount', valueOf: (row) => row.amount },
];
const lineOf = (name: string | null, amount = '0') => toCsv(columns, [{ name, amount }]).split('\r\n')[1];

describe('toCsv', () => {
  it('begins with the names, also where there is nothing else', () => {
    expect(toCsv(columns, [])).toBe('name,amount\r\n');
  });

  it('quotes what needs it', () => {
    expect(toCsv(columns, [{ name: 'a,"b"\nc', amount: '1' }])).toBe('name,amount\r\n"a,""b""\nc",1\r\n');
    expect(lineOf(null)).toBe(',0');
  });

  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\tx', '＝1'])('disarms %j', (name) => {
    expect(lineOf(name)).toContain(`'${name}`);
  });

  it('leaves negative amounts alone', () => {
    expect(lineOf('x', '-0.000010500')).toBe('x,-0.000010500');
  });
});
