import { IconScale } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Statement, statementsQuery } from '../api';
import { useCsvDownload } from '../download';
import { fromNano, toDollars, toMonth, toNano } from '../format';
import { CsvButton, CsvFailure } from './csv-button';
import { Card, type Column, RecordList } from './record-table';
import { COST_PLACES } from './request-parts';
import { Empty } from './states';
import { t } from '../language';

type LineType = Statement['lines'][number]['type'];

/** The sum of some lines, exactly. */
function sumOf({ lines }: Statement, ...types: LineType[]): string {
  const amounts = lines.filter(({ type }) => types.includes(type)).map(({ amount }) => toNano(amount));
  return toDollars(fromNano(amounts.reduce((sum, nano) => sum + nano, 0n)), COST_PLACES);
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
    cell: ({ opening_balance }) => toDollars(opening_balance, COST_PLACES),
  },
  { name: 'Top-ups', isNumber: true, cell: (statement) => sumOf(statement, 'top_up') },
  { name: 'Usage', isNumber: true, cell: (statement) => sumOf(statement, 'charge') },
  { name: 'Refunds', isNumber: true, cell: (statement) => sumOf(statement, 'refund') },
  { name: 'Adjustments', isNumber: true, cell: (statement) => sumOf(statement, 'credit', 'debit') },
  {
    name: 'Closing balance',
    isNumber: true,
    cell: ({ closing_balance }) => toDollars(closing_balance, COST_PLACES),
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
      note={t('Months in UTC. The opening balance and all that follows make the closing one.')}
    >
      <CsvFailure download={download} inset />
      <RecordList
        query={statements}
        label={t('Statements')}
        columns={columns}
        keyOf={({ month }) => month}
        empty={
          <Empty icon={IconScale} title={t('No statements yet')}>
            {t('Each month from your first payment on gets one.')}
          </Empty>
        }
      />
    </Card>
  );
}
