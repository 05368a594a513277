import type { PlainText } from '@farebox/texts';
import { Anchor, Select } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toTransactionQuery, transactionsQuery, type Transaction, type TransactionFilter } from '../api';
import { useCsvDownload } from '../download';
import { asTransactionType } from '../search-params';
import { CsvButton, CsvFailure } from './csv-button';
import { Card, type Column, RecordList } from '@farebox/ui/record-table';
import { Moment } from '@farebox/ui/moments';
import { Empty } from '@farebox/ui/states';
import { DayRange } from './usage-filter';
import { t } from '@farebox/ui/language';

const TYPES: Record<Transaction['type'], PlainText> = {
  top_up: 'Top-up',
  charge: 'Charge',
  refund: 'Refund',
  adjustment: 'Adjustment',
};

const TRANSACTION_COLUMNS: readonly Column<Transaction>[] = [
  { name: 'Time', cell: ({ created_at }) => <Moment seconds={created_at} /> },
  { name: 'Type', cell: ({ type }) => t(TYPES[type]) },
  {
    name: 'Request',
    cell: ({ usage_id, model }) =>
      usage_id === null ? (
        '–'
      ) : (
        <Anchor
          renderRoot={(props) => (
            <Link to="/activity/$requestId" params={{ requestId: usage_id }} {...props} />
          )}
        >
          {model ?? t('Request')}
        </Anchor>
      ),
  },
  { name: 'Amount', isNumber: true, isLead: true, amount: ({ amount }) => amount },
  {
    name: 'Balance after',
    isNumber: true,
    amount: ({ balance_after }) => balance_after,
  },
];

export function Transactions({
  filter,
  choose,
}: {
  filter: TransactionFilter;
  choose: (changed: TransactionFilter) => void;
}) {
  const transactions = useInfiniteQuery(transactionsQuery(filter));
  const download = useCsvDownload();
  return (
    <Card
      flush
      title={t('Transactions')}
      actions={
        <>
          <DayRange size="xs" range={filter} change={choose} />
          <Select
            size="xs"
            w={140}
            aria-label={t('Type of transaction')}
            placeholder={t('All types')}
            clearable
            data={Object.entries(TYPES).map(([value, label]) => ({ value, label: t(label) }))}
            value={filter.type ?? null}
            onChange={(value) => choose({ type: asTransactionType(value) })}
          />
          <CsvButton
            size="xs"
            download={download}
            request={{ of: 'transactions', query: toTransactionQuery(filter) }}
            label={t('Transactions as CSV')}
          />
        </>
      }
    >
      <CsvFailure download={download} inset />
      <RecordList
        query={transactions}
        label={t('Transactions')}
        columns={TRANSACTION_COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={IconReceipt} title={t('No transactions')}>
            {t('Payments, charges and refunds are listed here, unless the filter excludes them.')}
          </Empty>
        }
      />
    </Card>
  );
}
