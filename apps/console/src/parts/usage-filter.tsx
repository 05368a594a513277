import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiKeyQuery, byModelQuery, foundKeysQuery, modelsQuery } from '../api';
import { nameKey } from '@farebox/ui/format';
import { RANGES, rangeOf, startOfRange, toUtcDay, type UsageFilter } from '../usage-range';
import { t } from '@farebox/ui/language';

/** Range, model and key. The selection is kept in the page's address. */
export function UsageFilterBar({
  filter,
  change,
  children,
}: {
  filter: UsageFilter;
  change: (filter: UsageFilter) => void;
  children?: ReactNode;
}) {
  const [nowMs] = useState(Date.now);
  const range = rangeOf(filter, nowMs);
  const choose = (name: string) => {
    const days = RANGES.find((one) => one.name === name)?.days;
    if (days === undefined) change({ start: startOfRange(30, nowMs), end: toUtcDay(nowMs) });
    else change({ start: startOfRange(days, nowMs), end: undefined });
  };
  return (
    <Group gap="sm" mb="lg" role="search" aria-label={t('Filter')}>
      <SegmentedControl
        aria-label={t('Range')}
        value={range}
        onChange={choose}
        data={([...RANGES.map(({ name }) => name), 'Custom'] as const).map((name) => ({
          ...{ value: name, label: t(name) },
        }))}
      />
      {range === 'Custom' && <DayRange range={filter} change={change} />}
      <ModelSelect filter={filter} change={(model) => change({ model })} />
      <KeySelect chosen={filter.key_public_id} change={(key_public_id) => change({ key_public_id })} />
      {children}
    </Group>
  );
}

type Days = Pick<UsageFilter, 'start' | 'end'>;

/** The first and the last day, in UTC. */
export function DayRange({
  range: { start, end },
  change,
  size = 'sm',
}: {
  range: Days;
  change: (range: Days) => void;
  size?: 'xs' | 'sm';
}) {
  const [today] = useState(() => toUtcDay(Date.now()));
  return (
    <Group gap={6} wrap="nowrap">
      <TextInput
        aria-label={t('From, UTC')}
        type="date"
        size={size}
        max={end ?? today}
        value={start ?? ''}
        onChange={({ currentTarget: { value } }) => change({ start: value || undefined })}
      />
      –
      <TextInput
        aria-label={t('To, UTC')}
        type="date"
        size={size}
        {...(start === undefined ? {} : { min: start })}
        max={today}
        value={end ?? ''}
        onChange={({ currentTarget: { value } }) => change({ end: value || undefined })}
      />
    </Group>
  );
}

/** The offered models, those that were used in the range, and the chosen one, whatever became of it. */
function ModelSelect({
  filter: { start, end, model },
  change,
}: {
  filter: UsageFilter;
  change: (model: string | undefined) => void;
}) {
  const offered = useQuery(modelsQuery).data?.data.map(({ id }) => id) ?? [];
  const used = useQuery(byModelQuery({ start, end })).data?.data.map((one) => one.model) ?? [];
  return (
    <Select
      aria-label={t('Model')}
      placeholder={t('All models')}
      clearable
      searchable
      w={{ base: '100%', xs: 190 }}
      data={[...new Set([...(model === undefined ? [] : [model]), ...offered, ...used])]}
      value={model ?? null}
      onChange={(value) => change(value ?? undefined)}
    />
  );
}

const PAUSE_MS = 250;
const LONGEST_SEARCH = 100;
const MORE = 'more';

/** The service searches all keys of the account; the chosen one is always there. */
function KeySelect({
  chosen,
  change,
}: {
  chosen: string | undefined;
  change: (keyPublicId: string | undefined) => void;
}) {
  const [text, setText] = useState('');
  const known = useQuery({ ...apiKeyQuery(chosen ?? ''), enabled: chosen !== undefined });
  const label = known.data ? nameKey(known.data) : (chosen ?? '');
  // The field has the label of the chosen key until somebody types.
  const [search] = useDebouncedValue(text === label ? '' : text.trim().slice(0, LONGEST_SEARCH), PAUSE_MS);
  const found = useQuery(foundKeysQuery(search)).data;
  const others = (found?.data ?? []).filter(({ key_public_id }) => key_public_id !== chosen);
  return (
    <Select
      aria-label={t('API key')}
      placeholder={t('All API keys')}
      clearable
      searchable
      w={{ base: '100%', xs: 210 }}
      data={[
        ...(chosen === undefined ? [] : [{ value: chosen, label }]),
        ...others.map((key) => ({ value: key.key_public_id, label: nameKey(key) })),
        ...(found?.has_more ? [{ value: MORE, label: t('Type to find others'), disabled: true }] : []),
      ]}
      filter={({ options }) => options}
      nothingFoundMessage={t('No such key')}
      onSearchChange={setText}
      value={chosen ?? null}
      onChange={(key) => change(key ?? undefined)}
    />
  );
}
