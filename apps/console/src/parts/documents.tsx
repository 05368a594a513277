import { Anchor } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { invoicesQuery, type InvoiceSummary } from '../api';
import { toDay, toDollars, toMonth } from '../format';
import { Card, type Column, RecordList } from './record-table';
import { Empty } from './states';

const INVOICE_COLUMNS: readonly Column<InvoiceSummary>[] = [
  {
    name: 'Number',
    cell: ({ number }) => (
      <Anchor renderRoot={(props) => <Link to="/billing/invoices/$number" params={{ number }} {...props} />}>
        {number}
      </Anchor>
    ),
  },
  { name: 'Month', cell: ({ month }) => toMonth(month) },
  { name: 'Issued', cell: ({ issued_at }) => toDay(issued_at) },
  { name: 'Total', isNumber: true, isLead: true, cell: ({ total_rounded }) => toDollars(total_rounded) },
  {
    name: 'Document',
    isNumber: true,
    cell: ({ number }) => (
      <Anchor
        href={`/v1/billing/invoices/${encodeURIComponent(number)}?format=pdf`}
        aria-label={`${number} as PDF`}
      >
        PDF
      </Anchor>
    ),
  },
];

export function Invoices() {
  const invoices = useInfiniteQuery(invoicesQuery);
  return (
    <Card flush title="Invoices">
      <RecordList
        query={invoices}
        label="Invoices"
        columns={INVOICE_COLUMNS}
        keyOf={({ number }) => number}
        empty={
          <Empty icon={IconFileInvoice} title="No invoices yet">
            Each month in which something was charged gets one after its end.
          </Empty>
        }
      />
    </Card>
  );
}
