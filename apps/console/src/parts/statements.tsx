import { IconScale } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Statement, statementsQuery } from '../api';
import { useCsvDownload } from '../download';
import { fromNano, toMonth, toNano } from '@farebox/ui/format';
import { CsvButton, CsvFailure } from './csv-button';
import { Card, type Column, RecordList } from '@farebox/ui/record-table';
import { Empty } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

type LineType = Statement['lines'][number]['type'];

/** The sum of some lines, exactly. */
function sumOf({ lines }: Statement, ...types: LineType[]): string {
  const amounts = lines.filter(({ type }) => types.includes(type)).map(({ amount }) => toNano(amount));
  return fromNano(amounts.reduce((sum, nano) => sum + nano, 0n));
}

const MONEY_COLUMNS: readonly Column<Statement>[] = [
  {
    name: 'Month',
    cell: ({ month, status }) =>
      status === 'open' ? t('{month}, so far', { month: toMonth(month) }) : toMonth(month),
  },
  {
    name: 'Opening balance',
    isNumber: true,
    amount: ({ opening_balance }) => opening_balance,
  },
  { name: 'Top-ups', isNumber: true, amount: (statement) => sumOf(statement, 'top_up') },
  { name: 'Usage', isNumber: true, amount: (statement) => sumOf(statement, 'charge') },
  { name: 'Refunds', isNumber: true, amount: (statement) => sumOf(statement, 'refund') },
  { name: 'Adjustments', isNumber: true, amount: (statement) => sumOf(statement, 'credit', 'debit') },
  {
    name: 'Closing balance',
    isNumber: true,
    amount: ({ closing_balance }) => closing_balance,
  },
];

/** The changes of the balance, month by month. */
export function Statements() {
  const statements = useInfiniteQuery(statementsQuery);
  const download = useCsvDownload();
  const columns: readonly Column<Statement>[] = [
    ...MONEY_COLUMNS,
    {
      name: 'Document',
      isNumber: true,
      cell: ({ month }) => (
        <CsvButton
          size="compact-xs"
          leftSection={undefined}
          download={download}
          request={{ of: 'statement', month }}
          label={t('Statement of {month} as CSV', { month: toMonth(month) })}
        />
      ),
    },
  ];
  return (
    <Card
      flush
      title={t('Statements')}
      note={t('Months in UTC. The opening balance and everything after it add up to the closing balance.')}
    >
      <CsvFailure download={download} inset />
      <RecordList
        query={statements}
        label={t('Statements')}
        columns={columns}
        keyOf={({ month }) => month}
        empty={
          <Empty icon={IconScale} title={t('No statements yet')}>
            {t('You get one for each month from your first payment on.')}
          </Empty>
        }
      />
    </Card>
  );
}
