import type { PlainText } from '@farebox/texts';
import { unwrap } from '@farebox/client';
import { Alert, Badge, Button, Checkbox, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { automaticTopUpQuery, client, fundingQuery, type AutomaticTopUp } from '../api';
import { entryPattern, fromEntry, toDollars, toEntry } from '@farebox/ui/format';
import { ErrorNotice } from '@farebox/ui/errors';
import { tell } from '@farebox/ui/notices';
import { Card } from '@farebox/ui/record-table';
import { Moment } from '@farebox/ui/moments';
import { Loaded } from '@farebox/ui/states';
import { rich, t } from '@farebox/ui/language';

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
      title={t('Automatic top-up')}
      note={t('Your saved card is charged when your balance runs low, so that your requests keep running.')}
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

const WHY_OFF: Record<NonNullable<AutomaticTopUp['off_reason']>, PlainText | undefined> = {
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
          {enabled ? t('On') : t('Off')}
        </Badge>
        {enabled && monthly_ceiling !== null && (
          <Text size="sm">
            {t('{part} of at most {whole} charged this month (UTC)', {
              ...{ part: toDollars(charged_this_month), whole: toDollars(monthly_ceiling) },
            })}
          </Text>
        )}
      </Group>
      {enabled && ceiling_reached && (
        <Alert color="yellow" title={t('The monthly ceiling is reached')}>
          {t('Nothing more is charged until next month. Raise the ceiling, or add funds yourself.')}
        </Alert>
      )}
      {whyOff !== undefined && (
        <Alert color="red" title={t('Automatic top-up is off')}>
          {t(whyOff)}
          {off_at !== null && (
            <Text size="xs" c="dimmed" mt={4}>
              <Moment seconds={off_at} />
            </Text>
          )}
        </Alert>
      )}
      <LastAttempt record={record} />
    </Stack>
  );
}

const ATTEMPTS = {
  processing: 'The last payment of {amount} is under way. {when}',
  succeeded: 'The last payment of {amount} was made. {when}',
  failed: 'The last payment of {amount} failed. {when}',
} as const;

const FAILURES: Readonly<Record<string, PlainText | undefined>> = {
  authentication_required: 'the bank asks for a confirmation that only you can give',
  card_declined: 'the bank declined the card',
  expired_card: 'the card has expired',
  insufficient_funds: 'the bank says that the card has insufficient funds',
  not_made: 'the payment provider did not carry it out',
  not_accepted: 'the payment provider did not accept it',
};

function LastAttempt({ record: { last_attempt: last } }: { record: AutomaticTopUp }) {
  if (last === null) return null;
  const { status, amount, failure, created_at } = last;
  const known = failure === null ? undefined : FAILURES[failure];
  const parts = { amount: toDollars(amount), when: <Moment seconds={created_at} /> };
  return (
    <Text size="sm">
      {failure === null
        ? rich(ATTEMPTS[status], parts)
        : rich('The last payment of {amount} failed: {reason}. {when}', {
            ...parts,
            reason: known ? t(known) : failure.replaceAll('_', ' '),
          })}
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
    onSuccess: (changed) => keep(changed, t('Your card has been removed.')),
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
          {t('Saved card: {brand} ending in {end}, valid to {date}', {
            brand: nameOf(card.brand),
            end: card.last_four,
            date: `${String(card.expiry_month).padStart(2, '0')}/${card.expiry_year.toString()}`,
          })}
        </Text>
      ) : (
        <Text size="sm" role="status">
          {isAwaited ? t('Your card is being saved. This takes a few seconds.') : t('No card is saved.')}
        </Text>
      )}
      <Group gap="sm">
        <Button variant="default" loading={enter.isPending || enter.isSuccess} onClick={() => enter.mutate()}>
          {card ? t('Replace the card') : t('Save a card')}
        </Button>
        {card && (
          <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t('Remove the card')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const nameOf = (brand: string): string => brand.charAt(0).toUpperCase() + brand.slice(1).replaceAll('_', ' ');

function Order({ record }: { record: AutomaticTopUp }) {
  const keep = useKeep();
  const [threshold, setThreshold] = useState(toEntry(record.threshold ?? '5.00'));
  const [amount, setAmount] = useState(toEntry(record.amount ?? '25.00'));
  const [ceiling, setCeiling] = useState(toEntry(record.monthly_ceiling ?? '100.00'));
  const [isAgreed, setAgreed] = useState(false);
  const save = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST('/v1/billing/automatic-top-up', {
          body: {
            threshold: fromEntry(threshold),
            amount: fromEntry(amount),
            monthly_ceiling: fromEntry(ceiling),
            consent: true,
          },
        }),
      ),
    onSuccess: (changed) => {
      setAgreed(false);
      keep(changed, t('Automatic top-up is on.'));
    },
  });
  const end = useMutation({
    mutationFn: () => unwrap(client.DELETE('/v1/billing/automatic-top-up')),
    onSuccess: (changed) => keep(changed, t('Automatic top-up is off.')),
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
          <Amount label={t('When less than this is available')} value={threshold} change={setThreshold} />
          <Amount label={t('Add this amount')} value={amount} change={setAmount} />
          <Amount label={t('At most in a month')} value={ceiling} change={setCeiling} />
        </SimpleGrid>
        <Checkbox
          label={<span lang="en">{record.consent_text}</span>}
          required
          checked={isAgreed}
          onChange={({ currentTarget: { checked } }) => setAgreed(checked)}
        />
        <Group gap="sm">
          <Button type="submit" loading={save.isPending}>
            {record.enabled ? t('Change automatic top-up') : t('Switch on automatic top-up')}
          </Button>
          {record.enabled && (
            <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
              {t('Switch off')}
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
      pattern={entryPattern('{2}')}
      title={t('Dollars and cents, like 25 or 25.50')}
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
