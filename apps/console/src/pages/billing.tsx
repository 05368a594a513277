import { Alert, Button, SimpleGrid, Stack, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { balanceQuery, type TransactionFilter } from '../api';
import { toDollars, toShortDollars } from '@farebox/ui/format';
import { AddFunds, CheckoutNotice } from '../parts/add-funds';
import { AutomaticTopUps } from '../parts/automatic-top-up';
import { BillingDetailsCard } from '../parts/billing-details';
import { CreditNotes, Invoices, Receipts } from '../parts/documents';
import { LowBalance } from '../parts/low-balance';
import { Figure, FigureSkeleton } from '@farebox/ui/record-table';
import { Loaded, PageHead } from '@farebox/ui/states';
import { Statements } from '../parts/statements';
import { Transactions } from '../parts/transactions';
import { asBillingTab } from '../search-params';
import { t } from '@farebox/ui/language';

export function Page() {
  const { checkout, payment, card, add, tab, ...filter } = useSearch({ from: '/shell/billing' });
  const navigate = useNavigate({ from: '/billing' });
  const show = (isOpen: boolean) =>
    void navigate({
      search: { ...filter, tab, ...(isOpen ? { add: true } : {}) },
      replace: true,
      resetScroll: false,
    });
  const choose = (changed: TransactionFilter) =>
    void navigate({ search: { ...filter, ...changed }, replace: true, resetScroll: false });
  return (
    <>
      <PageHead title={t('Billing')} lead={t('Prepaid: you can only spend what is on your balance.')}>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => show(true)}>
          {t('Add funds')}
        </Button>
      </PageHead>
      <Stack gap="lg">
        {checkout === 'paid' && <CheckoutNotice id={payment} />}
        {checkout === 'cancelled' && (
          <Alert
            title={t('Nothing was paid')}
            color="gray"
            withCloseButton
            closeButtonLabel={t('Close')}
            onClose={() => show(false)}
          >
            {t('You left before the payment was complete.')}
          </Alert>
        )}
        <Tabs
          value={tab ?? BALANCE}
          // Each tab has an address of its own, so that it can be shared, and left by the browser's Back.
          onChange={(name) => void navigate({ search: { tab: asBillingTab(name) }, resetScroll: false })}
          keepMounted={false}
        >
          <Tabs.List aria-label={t('Parts of billing')}>
            <Tabs.Tab value={BALANCE}>{t('Balance')}</Tabs.Tab>
            <Tabs.Tab value="statements">{t('Statements')}</Tabs.Tab>
            <Tabs.Tab value="invoices">{t('Invoices')}</Tabs.Tab>
            <Tabs.Tab value="details">{t('Details')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value={BALANCE} pt="lg">
            <Stack gap="lg">
              <Balance />
              <LowBalance />
              <AutomaticTopUps cardEntered={card} />
              <Transactions filter={filter} choose={choose} />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="statements" pt="lg">
            <Statements />
          </Tabs.Panel>
          <Tabs.Panel value="invoices" pt="lg">
            <Stack gap="lg">
              <Invoices />
              <Receipts />
              <CreditNotes />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="details" pt="lg">
            <BillingDetailsCard />
          </Tabs.Panel>
        </Tabs>
      </Stack>
      <AddFunds isOpen={add === true} close={() => show(false)} />
    </>
  );
}

const BALANCE = 'balance';

function Balance() {
  const balance = useQuery(balanceQuery);
  return (
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
          <Figure label={t('Available')} value={toShortDollars(available)} exact={toDollars(available)} />
          <Figure label={t('Held')} value={toShortDollars(held)} note={t('For requests under way')} />
          <Figure
            label={t('Balance')}
            value={toShortDollars(whole)}
            note={t('Available and held together')}
          />
        </SimpleGrid>
      )}
    </Loaded>
  );
}
