import { Anchor } from '@mantine/core';
import { IconFileInvoice, IconReceipt, IconReceiptRefund } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  type CreditNote,
  creditNotesQuery,
  invoicesQuery,
  type InvoiceSummary,
  type PaymentReceipt,
  receiptsQuery,
} from '../api';
import { toDay, toMonth } from '@farebox/ui/format';
import { Card, type Column, RecordList } from '@farebox/ui/record-table';
import { Empty } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

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
  { name: 'Total', isNumber: true, isLead: true, amount: ({ total_rounded }) => total_rounded },
  {
    name: 'Document',
    isNumber: true,
    cell: ({ number }) => (
      <Anchor
        href={`/v1/billing/invoices/${encodeURIComponent(number)}?format=pdf`}
        aria-label={t('{number} as PDF', { number })}
      >
        {t('PDF')}
      </Anchor>
    ),
  },
];

export function Invoices() {
  const invoices = useInfiniteQuery(invoicesQuery);
  return (
    <Card flush title={t('Invoices')}>
      <RecordList
        query={invoices}
        label={t('Invoices')}
        columns={INVOICE_COLUMNS}
        keyOf={({ number }) => number}
        empty={
          <Empty icon={IconFileInvoice} title={t('No invoices yet')}>
            {t('You get one after each month in which something was charged.')}
          </Empty>
        }
      />
    </Card>
  );
}

/** A page to print. */
export const toReceiptAddress = (number: string, format: 'html' | 'pdf' = 'html'): string =>
  `/v1/billing/receipts/${encodeURIComponent(number)}?format=${format}`;

const RECEIPT_COLUMNS: readonly Column<PaymentReceipt>[] = [
  { name: 'Number', cell: ({ number }) => <Anchor href={toReceiptAddress(number)}>{number}</Anchor> },
  { name: 'Paid', cell: ({ paid_at }) => toDay(paid_at) },
  { name: 'By', cell: ({ method }) => (method === 'card' ? t('Card') : t('Credited by the operator')) },
  { name: 'Amount', isNumber: true, isLead: true, amount: ({ amount }) => amount },
  {
    name: 'Document',
    isNumber: true,
    cell: ({ number }) => (
      <Anchor href={toReceiptAddress(number, 'pdf')} aria-label={t('{number} as PDF', { number })}>
        {t('PDF')}
      </Anchor>
    ),
  },
];

export function Receipts() {
  const receipts = useInfiniteQuery(receiptsQuery);
  return (
    <Card flush title={t('Receipts')}>
      <RecordList
        query={receipts}
        label={t('Receipts')}
        columns={RECEIPT_COLUMNS}
        keyOf={({ number }) => number}
        empty={
          <Empty icon={IconReceipt} title={t('No receipts yet')}>
            {t('You get one for each top-up.')}
          </Empty>
        }
      />
    </Card>
  );
}

const toNoteAddress = (number: string, format: 'html' | 'pdf' = 'html'): string =>
  `/v1/billing/credit-notes/${encodeURIComponent(number)}?format=${format}`;

const NOTE_COLUMNS: readonly Column<CreditNote>[] = [
  { name: 'Number', cell: ({ number }) => <Anchor href={toNoteAddress(number)}>{number}</Anchor> },
  { name: 'Issued', cell: ({ issued_at }) => toDay(issued_at) },
  { name: 'For', cell: ({ invoice_number, receipt_number }) => invoice_number ?? receipt_number },
  { name: 'Reason', cell: ({ reason }) => reason },
  { name: 'Amount', isNumber: true, isLead: true, amount: ({ amount_rounded }) => amount_rounded },
  {
    name: 'Document',
    isNumber: true,
    cell: ({ number }) => (
      <Anchor href={toNoteAddress(number, 'pdf')} aria-label={t('{number} as PDF', { number })}>
        {t('PDF')}
      </Anchor>
    ),
  },
];

export function CreditNotes() {
  const notes = useInfiniteQuery(creditNotesQuery);
  return (
    <Card flush title={t('Credit notes')}>
      <RecordList
        query={notes}
        label={t('Credit notes')}
        columns={NOTE_COLUMNS}
        keyOf={({ number }) => number}
        empty={
          <Empty icon={IconReceiptRefund} title={t('No credit notes')}>
            {t('You get one when a payment is taken back, or when a charge is refunded after its invoice.')}
          </Empty>
        }
      />
    </Card>
  );
}
