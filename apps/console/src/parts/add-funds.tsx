import { unwrap } from '@farebox/client';
import { Alert, Anchor, Button, Chip, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import {
  accountQuery,
  balanceQuery,
  client,
  fundingQuery,
  serviceQuery,
  statementsQuery,
  type Transaction,
} from '../api';
import { toDollars, toNano } from '../format';
import { CopyableText } from './copyable';
import { ErrorNotice } from './errors';
import { Loaded } from './states';

/** The newest top-up before the payment, so that a newer one is noticed afterwards; `NONE`, or `SHOWN` since. */
const BEFORE_KEY = 'farebox.top-up-before';
const NONE = 'none';
const SHOWN = 'shown';
const AMOUNTS = ['10.00', '25.00', '50.00', '100.00'];

export function AddFunds({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const funding = useQuery({ ...fundingQuery, enabled: isOpen });
  return (
    <Modal opened={isOpen} onClose={close} title="Add funds">
      <Loaded query={funding}>
        {({ methods }) => {
          const card = methods.find((method) => method.type === 'card');
          if (card) return <CardForm min={card.min_amount} max={card.max_amount} />;
          return <ByOperator />;
        }}
      </Loaded>
    </Modal>
  );
}

/** Without card payments, the operator credits what they are paid. They need to know whose payment it is. */
function ByOperator() {
  const service = useQuery(serviceQuery);
  const account = useQuery(accountQuery);
  return (
    <Loaded query={account}>
      {({ account_id: reference }) => (
        <Loaded query={service}>
          {({ name, support_email: address }) => (
            <Stack gap="xs">
              {address === null ? (
                <Text>
                  {name} credits what you pay. Ask whoever invited you how to pay, and name this reference:
                </Text>
              ) : (
                <Text>
                  {name} credits what you pay. Write to{' '}
                  <Anchor href={toMailAddress(address, name, reference)}>{address}</Anchor> how much you want
                  to add, and name this reference:
                </Text>
              )}
              <CopyableText text={reference} label="Copy the reference" />
            </Stack>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

const toMailAddress = (address: string, name: string, reference: string): string =>
  `mailto:${address}?subject=${encodeURIComponent(`${name}: add funds to ${reference}`)}`;

function CardForm({ min, max }: { min: string; max: string }) {
  const [amount, setAmount] = useState('25.00');
  const pay = useMutation({
    mutationFn: async () => {
      const before = await readNewestTopUp();
      const checkout = await unwrap(client.POST('/v1/billing/funding/checkouts', { body: { amount } }));
      sessionStorage.setItem(BEFORE_KEY, before?.id ?? NONE);
      return checkout;
    },
    onSuccess: ({ url }) => window.location.assign(url),
  });
  // After "Back", the browser may show this page as it was left.
  const { reset } = pay;
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && reset();
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [reset]);
  const choices = AMOUNTS.filter((one) => toNano(one) >= toNano(min) && toNano(one) <= toNano(max));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        pay.mutate();
      }}
    >
      <Stack>
        {pay.error && <ErrorNotice error={pay.error} />}
        <Chip.Group value={amount} onChange={setAmount}>
          <Group gap="xs" role="group" aria-label="Usual amounts">
            {choices.map((one) => (
              <Chip key={one} value={one} size="sm" radius="md">
                {toDollars(one).replace('.00', '')}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <TextInput
          label="Amount"
          description={`From ${toDollars(min)} to ${toDollars(max)}`}
          leftSection="$"
          inputMode="decimal"
          required
          pattern="\d+(\.\d{2})?"
          title="Dollars and cents, like 25 or 25.50"
          data-autofocus
          value={amount}
          onChange={({ currentTarget: { value } }) => setAmount(value.trim())}
        />
        <Button type="submit" loading={pay.isPending || pay.isSuccess}>
          Pay by card
        </Button>
        <Text size="xs" c="dimmed">
          You pay on the page of the payment provider, and come back here.
        </Text>
      </Stack>
    </form>
  );
}

const POLL_MS = 2_000;
const MAX_POLLS = 60;

async function readNewestTopUp(): Promise<Transaction | undefined> {
  const query = { limit: 1, type: 'top_up' as const };
  const { data } = await unwrap(client.GET('/v1/billing/transactions', { params: { query } }));
  return data[0];
}

/** The payment provider reports a payment a moment after the customer is back. */
export function CheckoutNotice() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [before] = useState(() => sessionStorage.getItem(BEFORE_KEY));
  const isAwaited = before !== null && before !== SHOWN;
  const newest = useQuery({
    queryKey: ['newest-top-up'],
    queryFn: async () => (await readNewestTopUp()) ?? null,
    enabled: isAwaited,
    gcTime: 0,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      isNew(data, before) || dataUpdateCount > MAX_POLLS ? false : POLL_MS,
  });
  const arrived = isAwaited && isNew(newest.data, before) ? newest.data : undefined;
  useEffect(() => {
    if (!arrived) return;
    sessionStorage.setItem(BEFORE_KEY, SHOWN);
    for (const queryKey of [['transactions'], balanceQuery.queryKey, statementsQuery.queryKey])
      void queryClient.invalidateQueries({ queryKey });
  }, [arrived, queryClient]);
  if (before === SHOWN) return null;
  return (
    <Alert
      color="teal"
      title="Thank you"
      role="status"
      withCloseButton
      closeButtonLabel="Close"
      onClose={() => void navigate({ to: '/billing', search: {}, replace: true, resetScroll: false })}
    >
      {arrived
        ? `Your payment of ${toDollars(arrived.amount)} has arrived on your balance.`
        : isAwaited
          ? 'Your payment is on its way to your balance. This takes a few seconds.'
          : 'Your payment comes to your balance as soon as the payment provider confirms it.'}
    </Alert>
  );
}

const isNew = (newest: Transaction | null | undefined, before: string | null): newest is Transaction =>
  newest != null && newest.id !== before;
