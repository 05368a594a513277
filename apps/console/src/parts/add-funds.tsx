import { unwrap } from '@farebox/client';
import { Alert, Anchor, Button, Chip, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import {
  accountQuery,
  balanceQuery,
  checkoutQuery,
  client,
  fundingQuery,
  receiptsQuery,
  serviceQuery,
  statementsQuery,
} from '../api';
import { entryPattern, fromEntry, toDollars, toEntry, toNano } from '@farebox/ui/format';
import { CopyableText } from '@farebox/ui/copyable';
import { toReceiptAddress } from './documents';
import { RedeemVoucher } from './redeem-voucher';
import { ErrorNotice } from '@farebox/ui/errors';
import { Loaded } from '@farebox/ui/states';
import { rich, t } from '@farebox/ui/language';

const AMOUNTS = ['10.00', '25.00', '50.00', '100.00'];

export function AddFunds({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const funding = useQuery({ ...fundingQuery, enabled: isOpen });
  return (
    <Modal opened={isOpen} onClose={close} title={t('Add funds')}>
      <Stack gap="xl">
        <Loaded query={funding}>
          {({ methods }) => {
            const card = methods.find((method) => method.type === 'card');
            if (card) return <CardForm min={card.min_amount} max={card.max_amount} />;
            return <ByOperator />;
          }}
        </Loaded>
        <RedeemVoucher close={close} />
      </Stack>
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
              <Text>
                {address === null
                  ? t(
                      '{service} credits what you pay. Ask whoever invited you how to pay, and quote this reference:',
                      { service: name },
                    )
                  : rich(
                      '{service} credits what you pay. Write to {address} how much you want to add, and quote this reference:',
                      {
                        service: name,
                        address: <Anchor href={toMailAddress(address, name, reference)}>{address}</Anchor>,
                      },
                    )}
              </Text>
              <CopyableText text={reference} label={t('Copy the reference')} />
            </Stack>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

const toMailAddress = (address: string, name: string, reference: string): string =>
  `mailto:${address}?subject=${encodeURIComponent(t('{service}: add funds to {reference}', { service: name, reference }))}`;

function CardForm({ min, max }: { min: string; max: string }) {
  const [amount, setAmount] = useState(toEntry('25.00'));
  const pay = useMutation({
    mutationFn: () =>
      unwrap(client.POST('/v1/billing/funding/checkouts', { body: { amount: fromEntry(amount) } })),
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
          <Group gap="xs" role="group" aria-label={t('Usual amounts')}>
            {choices.map((one) => (
              <Chip key={one} value={toEntry(one)} size="sm" radius="md">
                {toDollars(one, 0)}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <TextInput
          label={t('Amount')}
          description={t('From {least} to {most}', { least: toDollars(min), most: toDollars(max) })}
          leftSection="$"
          inputMode="decimal"
          required
          pattern={entryPattern('{2}')}
          title={t('Dollars and cents, like 25 or 25.50')}
          data-autofocus
          value={amount}
          onChange={({ currentTarget: { value } }) => setAmount(value.trim())}
        />
        <Button type="submit" loading={pay.isPending || pay.isSuccess}>
          {t('Pay by card')}
        </Button>
        <Text size="xs" c="dimmed">
          {t('You pay on the page of the payment provider, and come back here.')}
        </Text>
      </Stack>
    </form>
  );
}

/** Payments whose arrival was shown in this tab. */
const SHOWN_KEY = 'farebox.payment-shown';

/** The payment provider reports a payment a moment after the customer is back. */
export function CheckoutNotice({ id }: { id: string | undefined }) {
  const navigate = useNavigate();
  const close = () => void navigate({ to: '/billing', search: {}, replace: true, resetScroll: false });
  // A reload does not tell of it again.
  const [wasShown] = useState(() => id !== undefined && sessionStorage.getItem(SHOWN_KEY) === id);
  if (wasShown) return null;
  return id === undefined ? (
    <PaymentAlert text={t(LATER)} close={close} />
  ) : (
    <AwaitedPayment id={id} close={close} />
  );
}

const LATER = 'Your payment is added to your balance as soon as the payment provider confirms it.';

const PROGRESS = {
  paid: {
    of: 'Your payment of {amount} has been added to your balance.',
    unknown: 'Your payment has been added to your balance.',
  },
  ended: { of: 'The payment of {amount} did not arrive.', unknown: 'The payment did not arrive.' },
  awaiting: {
    of: 'Your payment of {amount} was ordered, and can take days to arrive.',
    unknown: 'Your payment was ordered, and can take days to arrive.',
  },
  open: {
    of: 'Your payment of {amount} is on its way to your balance. This takes a few seconds.',
    unknown: 'Your payment is on its way to your balance. This takes a few seconds.',
  },
} as const;

function AwaitedPayment({ id, close }: { id: string; close: () => void }) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(checkoutQuery(id));
  const isPaid = data?.status === 'paid';
  useEffect(() => {
    if (!isPaid) return;
    sessionStorage.setItem(SHOWN_KEY, id);
    for (const queryKey of [
      ['transactions'],
      balanceQuery.queryKey,
      statementsQuery.queryKey,
      receiptsQuery.queryKey,
    ])
      void queryClient.invalidateQueries({ queryKey });
  }, [isPaid, id, queryClient]);
  if (error && !data) return <PaymentAlert text={t(LATER)} close={close} />;
  const amount = data && toDollars(data.amount);
  const text = PROGRESS[data?.status ?? 'open'];
  const inWords = amount === undefined ? t(text.unknown) : t(text.of, { amount });
  switch (data?.status) {
    case 'paid':
      return (
        <PaymentAlert text={inWords} close={close}>
          {data.receipt_number !== null && (
            <Anchor href={toReceiptAddress(data.receipt_number)} fz="sm">
              {t('Receipt')}
            </Anchor>
          )}
        </PaymentAlert>
      );
    case 'ended':
      return <PaymentAlert isPaid={false} text={inWords} close={close} />;
    case 'awaiting':
    case 'open':
    case undefined:
      return <PaymentAlert text={inWords} close={close} />;
  }
}

function PaymentAlert({
  isPaid = true,
  text,
  close,
  children,
}: {
  isPaid?: boolean;
  text: string;
  close: () => void;
  children?: ReactNode;
}) {
  return (
    <Alert
      color={isPaid ? 'teal' : 'gray'}
      title={isPaid ? t('Thank you') : t('Nothing was paid')}
      role="status"
      withCloseButton
      closeButtonLabel={t('Close')}
      onClose={close}
    >
      <Group gap="sm">
        <Text size="sm">{text}</Text>
        {children}
      </Group>
    </Alert>
  );
}
