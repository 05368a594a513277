import { Button, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useVerb } from '../rights';
import { FILTER_NAMES, type RequestFilter } from '../search';
import { useChosen } from './use-chosen';

const FIELDS = {
  account: { label: 'Account', placeholder: 'acct_… or e-mail', w: 210 },
  key: { label: 'API key', placeholder: 'key_…', w: 210 },
  model: { label: 'Model', placeholder: 'Any', w: 150 },
  upstream: { label: 'Upstream', placeholder: 'Any', w: 130 },
  // As the verbs read a time.
  since: { label: 'From', placeholder: 'today, 7d, 2026-11-01', w: 170 },
  until: { label: 'Until', placeholder: 'now', w: 170 },
} as const;

type Field = keyof typeof FIELDS;

/** The filter in the address of the page. */
export function useRequestFilter(): RequestFilter {
  const [chosen] = useChosen();
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, chosen[name]]));
}

/** The filter of the list. Its button applies it, so that a half-typed id asks for nothing. */
export function FilterRequests() {
  const filter = useRequestFilter();
  return <Filter key={JSON.stringify(filter)} chosen={filter} />;
}

function Filter({ chosen }: { chosen: RequestFilter }) {
  const [, choose] = useChosen();
  const [entries, setEntries] = useState(chosen);
  const outcomes = useVerb('request list')?.parameters.find(({ name }) => name === 'outcome')?.choices ?? [];
  const enter = (changed: RequestFilter) => setEntries((before) => ({ ...before, ...changed }));
  return (
    <form
      role="search"
      aria-label="Filter the requests"
      onSubmit={(event) => {
        event.preventDefault();
        choose(
          Object.fromEntries(
            FILTER_NAMES.map((name) => [name, entries[name] === '' ? undefined : entries[name]]),
          ),
        );
      }}
    >
      <Group gap="sm" align="flex-end">
        {(Object.keys(FIELDS) as Field[]).map((name) => (
          <TextInput
            key={name}
            label={FIELDS[name].label}
            placeholder={FIELDS[name].placeholder}
            w={{ base: '100%', xs: FIELDS[name].w }}
            maxLength={200}
            value={entries[name] ?? ''}
            onChange={({ currentTarget: { value } }) => enter({ [name]: value.trim() })}
          />
        ))}
        <Select
          label="Outcome"
          w={{ base: '100%', xs: 170 }}
          data={outcomes.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
          allowDeselect={false}
          value={entries.outcome ?? 'all'}
          onChange={(value) => enter({ outcome: value === 'all' ? undefined : (value ?? undefined) })}
        />
        <Button type="submit" variant="default">
          Show
        </Button>
      </Group>
    </form>
  );
}
