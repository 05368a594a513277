import type { PlainText } from '@farebox/texts';
import { Anchor, Badge, Button, Group, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { apiKeysQuery, type ApiKey } from '../api';
import { toDay, toNano, toShortDollars, toSpentDollars } from '@farebox/ui/format';
import { KEY_STATUSES } from '../key-settings';
import { Card, type Column, RecordList } from '@farebox/ui/record-table';
import { When } from '@farebox/ui/moments';
import { Empty, PageHead } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

const SEARCH_DELAY_MS = 250;

/** Loaded on demand, since the form is larger than the page. */
const CreateKey = lazy(() => import('../parts/key-forms').then((forms) => ({ default: forms.CreateKey })));

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    name: 'Name',
    cell: ({ key_public_id, name }) => (
      <Anchor
        fw={500}
        renderRoot={(props) => (
          <Link to="/keys/$keyPublicId" params={{ keyPublicId: key_public_id }} {...props} />
        )}
      >
        <bdi>{name}</bdi>
      </Anchor>
    ),
    sortBy: ({ name }) => name,
  },
  { name: 'Key', cell: ({ hint }) => <span className="code">ak-…{hint}</span> },
  {
    name: 'Status',
    cell: ({ status }) => <Badge color={KEY_STATUSES[status].colour}>{t(KEY_STATUSES[status].name)}</Badge>,
  },
  {
    name: 'Spent this month',
    isNumber: true,
    cell: ({ monthly_spend, monthly_spend_limit }) =>
      monthly_spend_limit === null
        ? toSpentDollars(monthly_spend)
        : t('{part} of {whole}', {
            ...{ part: toSpentDollars(monthly_spend), whole: toShortDollars(monthly_spend_limit) },
          }),
    sortBy: ({ monthly_spend }) => toNano(monthly_spend),
  },
  {
    name: 'Last used',
    cell: ({ last_used_at }) => (last_used_at ? <When seconds={last_used_at} /> : t('Never')),
    sortBy: ({ last_used_at }) => last_used_at,
  },
  {
    name: 'Expires',
    cell: ({ expires_at }) => (expires_at ? toDay(expires_at) : t('Never')),
    sortBy: ({ expires_at }) => expires_at,
  },
];

const EMPTY: Record<ApiKey['status'], { none: PlainText; noMatch: PlainText; text: PlainText }> = {
  active: {
    none: 'No active keys',
    noMatch: 'No active key matches',
    text: 'Create one to call the models from a program.',
  },
  disabled: {
    none: 'No disabled keys',
    noMatch: 'No disabled key matches',
    text: 'Keys that you disable are listed here, until you enable them again.',
  },
  expired: {
    none: 'No expired keys',
    noMatch: 'No expired key matches',
    text: 'Keys that have expired are listed here.',
  },
  revoked: {
    none: 'No revoked keys',
    noMatch: 'No revoked key matches',
    text: 'Keys that you revoke are listed here, with their usage.',
  },
};

export function Page() {
  const [status, setStatus] = useState<ApiKey['status']>('active');
  const [isOpen, { open, close }] = useDisclosure(false);
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS);
  const keys = useInfiniteQuery(apiKeysQuery(status, wanted));
  return (
    <>
      <PageHead
        title={t('API keys')}
        lead={t('Your programs use them to call the models. The secret of each is shown only once.')}
      >
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          {t('Create key')}
        </Button>
      </PageHead>
      <Group mb="md" justify="space-between" gap="sm">
        <SegmentedControl
          aria-label={t('Status')}
          size="xs"
          w={{ base: '100%', xs: 'auto' }}
          value={status}
          onChange={(value) => setStatus(value as ApiKey['status'])}
          data={Object.entries(KEY_STATUSES).map(([value, { name }]) => ({ value, label: t(name) }))}
        />
        <TextInput
          type="search"
          aria-label={t('Search the API keys')}
          placeholder={t('Name or last four characters')}
          leftSection={<IconSearch size={16} aria-hidden />}
          w={{ base: '100%', xs: 260 }}
          maxLength={100}
          value={search}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
        />
      </Group>
      <Card flush>
        <RecordList
          query={keys}
          label={t('API keys')}
          columns={COLUMNS}
          keyOf={(key) => key.key_public_id}
          empty={
            wanted === '' ? (
              <Empty icon={IconKey} title={t(EMPTY[status].none)}>
                {t(EMPTY[status].text)}
              </Empty>
            ) : (
              <Empty icon={IconSearch} title={t(EMPTY[status].noMatch)}>
                {t('Search for a part of its name, or for the last four characters of its secret.')}
              </Empty>
            )
          }
        />
      </Card>
      {isOpen && (
        <Suspense>
          <CreateKey close={close} />
        </Suspense>
      )}
    </>
  );
}
