import { MultiSelect, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../api';
import { type KeyFaults, type KeyWish, toOrigins } from '../key-settings';
import { t } from '@farebox/ui/language';

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
        label={t('Name')}
        description={t('What it is for, so that you recognise it')}
        required
        maxLength={100}
        data-autofocus
        value={wish.name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
        error={faults.name}
      />
      <TextInput
        label={t('Monthly spending limit')}
        description={t('In US dollars. If it is empty, the limits of your account apply')}
        placeholder={t('No limit')}
        inputMode="decimal"
        leftSection="$"
        value={wish.limit}
        onChange={({ currentTarget: { value } }) => change({ limit: value.trim() })}
        error={faults.limit}
      />
      <TextInput
        label={t('Expires')}
        description={t('At the end of this day. If it is empty, never')}
        type="date"
        min={today}
        value={wish.expiry}
        onChange={({ currentTarget: { value } }) => change({ expiry: value })}
        error={faults.expiry}
      />
      <TextInput
        label={t('Allowed origins')}
        description={t(
          'For a key in a web page: the origins that may use it, separated by commas. If it is empty, programs may use it',
        )}
        placeholder="https://app.example.com"
        value={wish.origins}
        onChange={({ currentTarget: { value } }) => change({ origins: value })}
        error={faults.origins}
      />
      <Switch
        label={t("Show users of the key the account's balance and limits")}
        description={t(
          'In quotes and error messages: the balance, and what is left of the daily caps. Visitors of a web page can see whatever its key is shown',
        )}
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
        {t('Models')}
      </Text>
      <SegmentedControl
        aria-labelledby="key-models"
        value={wish.mode}
        onChange={(mode) => change({ mode })}
        data={[
          { value: 'all', label: t('All') },
          { value: 'allow', label: t('Only these') },
          { value: 'block', label: t('All but these') },
        ]}
      />
      {wish.mode !== 'all' && (
        <MultiSelect
          aria-label={t('Chosen models')}
          placeholder={t('Choose models')}
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
