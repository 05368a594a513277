import { unwrap } from '@farebox/client';
import { Alert, Anchor, Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { IconFileInvoice, IconPlus, IconReceipt } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import {
  accountQuery,
  balanceQuery,
  client,
  invoicesQuery,
  toTransactionQuery,
  transactionsQuery,
  type Invoice,
  type Transaction,
  type TransactionFilter,
} from '../api';
import { toDay, toDollars, toMonth, toShortDollars } from '../format';
import { useCsvDownload } from '../download';
import { CsvButton, CsvFailure } from '../parts/csv-button';
import { Statements } from '../parts/statements';
import { DayRange } from '../parts/usage-filter';
import { asTransactionType } from '../search-params';
import { AddFunds, CheckoutNotice } from '../parts/add-funds';
import { tell } from '../parts/notices';
import { Card, type Column, Figure, FigureSkeleton, RecordList } from '../parts/record-table';
import { COST_PLACES, Moment } from '../parts/request-parts';
import { ErrorNotice } from '../parts/errors';
import { Empty, Loaded, PageHead } from '../parts/states';

export function Page() {
  const { checkout, add, ...filter } = useSearch({ from: '/shell/billing' });
  const navigate = useNavigate({ from: '/billing' });
  const balance = useQuery(balanceQuery);
  const show = (isOpen: boolean) =>
    void navigate({
      search: { ...filter, ...(isOpen ? { add: true } : {}) },
      replace: true,
      resetScroll: false,
    });
  const choose = (changed: TransactionFilter) =>
    void navigate({ search: { ...filter, ...changed }, replace: true, resetScroll: false });
  return (
    <>
      <PageHead title="Billing" lead="Prepaid: you can spend only what is on the balance.">
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => show(true)}>
          Add funds
        </Button>
      </PageHead>
      <Stack gap="lg">
        {checkout === 'paid' && <CheckoutNotice />}
        {checkout === 'cancelled' && (
          <Alert
            title="Nothing was paid"
            color="gray"
            withCloseButton
            closeButtonLabel="Close"
            onClose={() => show(false)}
          >
            You left the payment before its end.
          </Alert>
        )}
        <Loaded
          query={balance}
          skeleton={
            <SimpleGrid cols={{ base: 1, xs: 3 }}>
              <FigureSkeleton />
              <FigureSkeleton />
              <FigureSkeleton />
            </SimpleGrid>
          }
        >
          {({ available, held, balance: whole }) => (
            <SimpleGrid cols={{ base: 1, xs: 3 }}>
              <Figure label="Available" value={toShortDollars(available)} note={toDollars(available)} />
              <Figure label="Held" value={toShortDollars(held)} note="For requests under way" />
              <Figure label="Balance" value={toShortDollars(whole)} note="Available and held together" />
            </SimpleGrid>
          )}
        </Loaded>
        <LowBalance />
        <Statements />
        <Transactions filter={filter} choose={choose} />
        <Invoices />
      </Stack>
      <AddFunds isOpen={add === true} close={() => show(false)} />
    </>
  );
}

/** The threshold of the low-balance mail. */
function LowBalance() {
  const account = useQuery(accountQuery);
  return (
    <Card title="Low balance" note="You get a mail when less than this is available.">
      <Loaded query={account}>
        {({ low_balance_threshold: known }) => (
          <LowBalanceForm
            key={known}
            known={known === null ? '' : toDollars(known).slice(1).replaceAll(',', '')}
          />
        )}
      </Loaded>
    </Card>
  );
}

function LowBalanceForm({ known }: { known: string }) {
  const queryClient = useQueryClient();
  const [amount, setAmount] = useState(known);
  const save = useMutation({
    mutationFn: () =>
      unwrap(client.PATCH('/v1/account', { body: { low_balance_threshold: amount === '' ? null : amount } })),
    onSuccess: (changed) => {
      queryClient.setQueryData(accountQuery.queryKey, changed);
      tell({
        message:
          changed.low_balance_threshold === null
            ? 'You get no mail about a low balance.'
            : `You get a mail when less than ${toDollars(changed.low_balance_threshold)} is available.`,
      });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="sm">
        {save.error && <ErrorNotice error={save.error} />}
        <Group gap="sm">
          <TextInput
            aria-label="Amount below which you get a mail"
            placeholder="No mail"
            leftSection="$"
            inputMode="decimal"
            pattern="\d+(\.\d{1,9})?"
            title="Dollars, like 5 or 2.50"
            value={amount}
            onChange={({ currentTarget: { value } }) => setAmount(value.trim())}
          />
          <Button type="submit" variant="default" loading={save.isPending} disabled={amount === known}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const TYPES: Record<Transaction['type'], string> = {
  top_up: 'Top-up',
  charge: 'Charge',
  refund: 'Refund',
  adjustment: 'Adjustment',
};

const TRANSACTION_COLUMNS: readonly Column<Transaction>[] = [
  { name: 'Time', cell: ({ created_at }) => <Moment seconds={created_at} /> },
  { name: 'Type', cell: ({ type }) => TYPES[type] },
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
          {model ?? 'Request'}
        </Anchor>
      ),
  },
  { name: 'Amount', isNumber: true, isLead: true, cell: ({ amount }) => toDollars(amount, COST_PLACES) },
  {
    name: 'Balance after',
    isNumber: true,
    cell: ({ balance_after }) => toDollars(balance_after, COST_PLACES),
  },
];

function Transactions({
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
      title="Transactions"
      actions={
        <>
          <DayRange size="xs" range={filter} change={choose} />
          <Select
            size="xs"
            w={140}
            aria-label="Type of transaction"
            placeholder="All types"
            clearable
            data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
            value={filter.type ?? null}
            onChange={(value) => choose({ type: asTransactionType(value) })}
          />
          <CsvButton
            size="xs"
            download={download}
            request={{ of: 'transactions', query: toTransactionQuery(filter) }}
            label="Transactions as CSV"
          />
        </>
      }
    >
      <CsvFailure download={download} inset />
      <RecordList
        query={transactions}
        label="Transactions"
        columns={TRANSACTION_COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={IconReceipt} title="No transactions">
            Payments, charges and refunds are listed here, unless the filter excludes them.
          </Empty>
        }
      />
    </Card>
  );
}

type InvoiceSummary = Omit<Invoice, 'customer' | 'lines'>;

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
  { name: 'Total', isNumber: true, isLead: true, cell: ({ total }) => toDollars(total) },
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

function Invoices() {
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
