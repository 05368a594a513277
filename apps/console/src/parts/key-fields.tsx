import { MultiSelect, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../api';
import { type KeyFaults, type KeyWish, toOrigins } from '../key-settings';

interface FieldsProps {
  wish: KeyWish;
  change: (changed: Partial<KeyWish>) => void;
  faults: KeyFaults;
}

/** All settings of a key. */
export function KeyFields({ wish, change, faults, today }: FieldsProps & { today: string }) {
  return (
    <>
      <TextInput
        label="Name"
        description="What uses it, so that you recognise it"
        required
        maxLength={100}
        data-autofocus
        value={wish.name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
        error={faults.name}
      />
      <TextInput
        label="Monthly spending limit"
        description="In US dollars. Without one, the limits of your account apply"
        placeholder="No limit"
        inputMode="decimal"
        leftSection="$"
        value={wish.limit}
        onChange={({ currentTarget: { value } }) => change({ limit: value.trim() })}
        error={faults.limit}
      />
      <TextInput
        label="Expires"
        description="At the end of this day. Without one, never"
        type="date"
        min={today}
        value={wish.expiry}
        onChange={({ currentTarget: { value } }) => change({ expiry: value })}
        error={faults.expiry}
      />
      <TextInput
        label="Allowed origins"
        description="For a key in a web page: the origins that may use it, separated by commas. Without any, programs may"
        placeholder="https://app.example.com"
        value={wish.origins}
        onChange={({ currentTarget: { value } }) => change({ origins: value })}
        error={faults.origins}
      />
      <Switch
        label="Show users of the key the account's balance and limits"
        description="In quotes and refusals: the balance, and what is left of the daily caps. Visitors of a page see everything that its key is shown"
        checked={wish.shows ?? toOrigins(wish.origins).length === 0}
        onChange={({ currentTarget: { checked } }) => change({ shows: checked })}
      />
      <ModelChoice wish={wish} change={change} faults={faults} />
    </>
  );
}

function ModelChoice({ wish, change, faults }: FieldsProps) {
  const offered = useQuery(modelsQuery).data?.data.map(({ id }) => id) ?? [];
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500} id="key-models">
        Models
      </Text>
      <SegmentedControl
        aria-labelledby="key-models"
        value={wish.mode}
        onChange={(mode) => change({ mode })}
        data={[
          { value: 'all', label: 'All' },
          { value: 'allow', label: 'Only these' },
          { value: 'block', label: 'All but these' },
        ]}
      />
      {wish.mode !== 'all' && (
        <MultiSelect
          aria-label="Chosen models"
          placeholder="Choose models"
          searchable
          // A key may name models that are not offered now.
          data={[...new Set([...offered, ...wish.models])]}
          value={wish.models}
          onChange={(models) => change({ models })}
          error={faults.models}
        />
      )}
    </Stack>
  );
}
