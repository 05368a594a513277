import { unwrap } from '@farebox/client';
import { Alert, Badge, Button, Checkbox, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { automaticTopUpQuery, client, fundingQuery, type AutomaticTopUp } from '../api';
import { toDollars } from '../format';
import { ErrorNotice } from './errors';
import { tell } from './notices';
import { Card } from './record-table';
import { Moment } from './request-parts';
import { Loaded } from './states';

/** The saved card and what it pays. There is none without card payments. */
export function AutomaticTopUps({ cardEntered }: { cardEntered: 'saved' | 'cancelled' | undefined }) {
  const funding = useQuery(fundingQuery);
  if (!funding.data?.methods.some(({ type }) => type === 'card')) return null;
  return <Section isCardAwaited={cardEntered === 'saved'} />;
}

const POLL_MS = 2_000;
const MAX_POLLS = 30;

function Section({ isCardAwaited }: { isCardAwaited: boolean }) {
  const topUp = useQuery({
    ...automaticTopUpQuery,
    // The payment provider reports a card a moment after the customer is back, and a payment as well.
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      dataUpdateCount < MAX_POLLS &&
      ((isCardAwaited && data?.card === null) || data?.last_attempt?.status === 'processing')
        ? POLL_MS
        : false,
  });
  return (
    <Card
      title="Automatic top-up"
      note="Your saved card is charged when your balance runs low, so that requests go on."
    >
      <Loaded query={topUp}>
        {(record) => (
          <Stack gap="md">
            <State record={record} />
            <SavedCard record={record} isAwaited={isCardAwaited} />
            {record.card && <Order key={String(record.enabled)} record={record} />}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

const WHY_OFF: Record<NonNullable<AutomaticTopUp['off_reason']>, string | undefined> = {
  customer: undefined,
  failures:
    'It was switched off because the last three payments were declined. Check your card or save another one.',
  card: 'It was switched off because the card is gone. Save a card and switch it on again.',
  dispute: 'It was switched off because a payment by card was disputed.',
};

function State({ record }: { record: AutomaticTopUp }) {
  const { enabled, off_reason, off_at, ceiling_reached, charged_this_month, monthly_ceiling } = record;
  const whyOff = enabled || off_reason === null ? undefined : WHY_OFF[off_reason];
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Badge color={enabled ? 'teal' : 'gray'} variant="light">
          {enabled ? 'On' : 'Off'}
        </Badge>
        {enabled && monthly_ceiling !== null && (
          <Text size="sm">
            {toDollars(charged_this_month)} of at most {toDollars(monthly_ceiling)} charged this month (UTC)
          </Text>
        )}
      </Group>
      {enabled && ceiling_reached && (
        <Alert color="yellow" title="The monthly ceiling is reached">
          Nothing more is charged until next month. Raise the ceiling, or add funds yourself.
        </Alert>
      )}
      {whyOff !== undefined && (
        <Alert color="red" title="Automatic top-up is off">
          {whyOff} {off_at !== null && <Moment seconds={off_at} />}
        </Alert>
      )}
      <LastAttempt record={record} />
    </Stack>
  );
}

const WORDS: Record<NonNullable<AutomaticTopUp['last_attempt']>['status'], string> = {
  processing: 'is under way',
  succeeded: 'was paid',
  failed: 'failed',
};

const FAILURES: Readonly<Record<string, string | undefined>> = {
  authentication_required: 'the bank wants you to confirm it, which needs you to be present',
  card_declined: 'the bank declined the card',
  expired_card: 'the card has expired',
  insufficient_funds: 'the bank says that the card lacks the money',
  not_made: 'the payment provider did not make it',
  not_accepted: 'the payment provider did not accept it',
};

function LastAttempt({ record: { last_attempt: last } }: { record: AutomaticTopUp }) {
  if (last === null) return null;
  const { status, amount, failure, created_at } = last;
  return (
    <Text size="sm">
      The last payment of {toDollars(amount)} {WORDS[status]}
      {failure !== null && `: ${FAILURES[failure] ?? failure.replaceAll('_', ' ')}`}.{' '}
      <Moment seconds={created_at} />
    </Text>
  );
}

function SavedCard({ record: { card }, isAwaited }: { record: AutomaticTopUp; isAwaited: boolean }) {
  const keep = useKeep();
  const enter = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/billing/card')),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const remove = useMutation({
    mutationFn: () => unwrap(client.DELETE('/v1/billing/card')),
    onSuccess: (changed) => keep(changed, 'Your card is removed.'),
  });
  // After "Back", the browser may show this page as it was left.
  const { reset } = enter;
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && reset();
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [reset]);
  const error = enter.error ?? remove.error;
  return (
    <Stack gap="xs">
      {error && <ErrorNotice error={error} />}
      {card ? (
        <Text size="sm">
          Saved card: {nameOf(card.brand)} ending in {card.last_four}, valid to{' '}
          {String(card.expiry_month).padStart(2, '0')}/{card.expiry_year}
        </Text>
      ) : (
        <Text size="sm" role="status">
          {isAwaited ? 'Your card is on its way here. This takes a few seconds.' : 'No card is saved.'}
        </Text>
      )}
      <Group gap="sm">
        <Button variant="default" loading={enter.isPending || enter.isSuccess} onClick={() => enter.mutate()}>
          {card ? 'Replace the card' : 'Save a card'}
        </Button>
        {card && (
          <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Remove the card
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const nameOf = (brand: string): string => brand.charAt(0).toUpperCase() + brand.slice(1).replaceAll('_', ' ');

/** As a person writes it: without the places that are zero. */
const toEntry = (amount: string | null, otherwise: string): string =>
  amount === null ? otherwise : toDollars(amount).slice(1).replaceAll(',', '');

function Order({ record }: { record: AutomaticTopUp }) {
  const keep = useKeep();
  const [threshold, setThreshold] = useState(toEntry(record.threshold, '5.00'));
  const [amount, setAmount] = useState(toEntry(record.amount, '25.00'));
  const [ceiling, setCeiling] = useState(toEntry(record.monthly_ceiling, '100.00'));
  const [isAgreed, setAgreed] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST('/v1/billing/automatic-top-up', {
          body: { threshold, amount, monthly_ceiling: ceiling, consent: true },
        }),
      ),
    onSuccess: (changed) => {
      setAgreed(false);
      keep(changed, 'Automatic top-up is on.');
    },
  });
  const end = useMutation({
    mutationFn: () => unwrap(client.DELETE('/v1/billing/automatic-top-up')),
    onSuccess: (changed) => keep(changed, 'Automatic top-up is off.'),
  });
  const error = save.error ?? end.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="sm">
        {error && <ErrorNotice error={error} />}
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Amount label="When less than this is available" value={threshold} change={setThreshold} />
          <Amount label="Add this amount" value={amount} change={setAmount} />
          <Amount label="At most in a month" value={ceiling} change={setCeiling} />
        </SimpleGrid>
        <Checkbox
          label={record.consent_text}
          required
          checked={isAgreed}
          onChange={({ currentTarget: { checked } }) => setAgreed(checked)}
        />
        <Group gap="sm">
          <Button type="submit" loading={save.isPending}>
            {record.enabled ? 'Change automatic top-up' : 'Switch on automatic top-up'}
          </Button>
          {record.enabled && (
            <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
              Switch off
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function Amount({ label, value, change }: { label: string; value: string; change: (value: string) => void }) {
  return (
    <TextInput
      label={label}
      leftSection="$"
      inputMode="decimal"
      required
      pattern="\d+(\.\d{2})?"
      title="Dollars and cents, like 25 or 25.50"
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value.trim())}
    />
  );
}

/** Shows a record that a change returned, and says what happened. */
function useKeep(): (record: AutomaticTopUp, message: string) => void {
  const queryClient = useQueryClient();
  return (record, message) => {
    queryClient.setQueryData(automaticTopUpQuery.queryKey, record);
    tell({ message });
  };
}
