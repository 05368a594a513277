import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiKeysQuery, modelsQuery } from '../api';
import { RANGES, rangeOf, startOfRange, toUtcDay, type UsageFilter } from '../usage-series';

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
  const models = useQuery(modelsQuery).data?.data ?? [];
  const keys = useInfiniteQuery(apiKeysQuery()).data?.pages.flatMap((page) => page.data) ?? [];
  const [nowMs] = useState(Date.now);
  const today = toUtcDay(nowMs);
  const range = rangeOf(filter, nowMs);
  const choose = (name: string) => {
    const days = RANGES.find((one) => one.name === name)?.days;
    if (days === undefined) change({ start: startOfRange(30, nowMs), end: today });
    else change({ start: startOfRange(days, nowMs), end: undefined });
  };
  return (
    <Group gap="sm" mb="lg" role="search" aria-label="Filter">
      <SegmentedControl
        aria-label="Range"
        value={range}
        onChange={choose}
        data={[...RANGES.map(({ name }) => name), 'Custom']}
      />
      {range === 'Custom' && (
        <Group gap={6} wrap="nowrap">
          <TextInput
            aria-label="From, UTC"
            type="date"
            max={filter.end ?? today}
            value={filter.start ?? ''}
            onChange={({ currentTarget: { value } }) => change({ start: value || undefined })}
          />
          –
          <TextInput
            aria-label="To, UTC"
            type="date"
            {...(filter.start === undefined ? {} : { min: filter.start })}
            max={today}
            value={filter.end ?? ''}
            onChange={({ currentTarget: { value } }) => change({ end: value || undefined })}
          />
        </Group>
      )}
      <Select
        aria-label="Model"
        placeholder="All models"
        clearable
        searchable
        w={{ base: '100%', xs: 190 }}
        data={models.map(({ id }) => id)}
        value={filter.model ?? null}
        onChange={(model) => change({ model: model ?? undefined })}
      />
      <Select
        aria-label="API key"
        placeholder="All API keys"
        clearable
        searchable
        w={{ base: '100%', xs: 170 }}
        data={keys.map(({ key_public_id, name, hint }) => ({
          value: key_public_id,
          label: `${name} (…${hint})`,
        }))}
        value={filter.key_public_id ?? null}
        onChange={(key) => change({ key_public_id: key ?? undefined })}
      />
      {children}
    </Group>
  );
}
