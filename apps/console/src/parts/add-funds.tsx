import { unwrap } from '@farebox/client';
import { Alert, Anchor, Button, Chip, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { balanceQuery, client, fundingQuery, serviceQuery, statementsQuery } from '../api';
import { toDollars, toNano } from '../format';
import { ErrorNotice, Loaded } from './states';

/** The balance before the payment, so that its growth is noticed afterwards. */
const BEFORE_KEY = 'farebox.balance-before';
const AMOUNTS = ['10.00', '25.00', '50.00', '100.00'];

export function AddFunds({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const funding = useQuery({ ...fundingQuery, enabled: isOpen });
  const service = useQuery(serviceQuery).data;
  return (
    <Modal opened={isOpen} onClose={close} title="Add funds">
      <Loaded query={funding}>
        {({ methods }) => {
          const card = methods.find((method) => method.type === 'card');
          if (card) return <CardForm min={card.min_amount} max={card.max_amount} />;
          return (
            <Text>
              The operator credits what you pay them.{' '}
              {service?.support_email && (
                <>
                  Write to <Anchor href={`mailto:${service.support_email}`}>{service.support_email}</Anchor>.
                </>
              )}
            </Text>
          );
        }}
      </Loaded>
    </Modal>
  );
}

function CardForm({ min, max }: { min: string; max: string }) {
  const [amount, setAmount] = useState('25.00');
  const balance = useQuery(balanceQuery).data;
  const pay = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/billing/funding/checkouts', { body: { amount } })),
    onSuccess: ({ url }) => {
      if (balance) sessionStorage.setItem(BEFORE_KEY, balance.balance);
      window.location.assign(url);
    },
  });
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

/** The payment provider reports a payment a moment after the customer is back. */
export function CheckoutNotice() {
  const queryClient = useQueryClient();
  const [before] = useState(() => sessionStorage.getItem(BEFORE_KEY));
  const [polls, setPolls] = useState(0);
  const balance = useQuery(balanceQuery).data?.balance;
  const arrived = before !== null && balance !== undefined && toNano(balance) > toNano(before);
  const isWaiting = !arrived && polls < MAX_POLLS;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => {
      setPolls(polls + 1);
      void queryClient.invalidateQueries({ queryKey: balanceQuery.queryKey });
    }, POLL_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, polls, queryClient]);
  useEffect(() => {
    if (!arrived) return;
    void queryClient.invalidateQueries({ queryKey: ['transactions'] });
    void queryClient.invalidateQueries({ queryKey: statementsQuery.queryKey });
  }, [arrived, queryClient]);
  return (
    <Alert color="teal" title="Thank you" role="status">
      {arrived
        ? 'Your payment has arrived on your balance.'
        : isWaiting
          ? 'Your payment is on its way to your balance. This takes a few seconds.'
          : 'Your payment is not on your balance yet. It comes as soon as the payment provider confirms it.'}
    </Alert>
  );
}
