import { PageHead } from '@farebox/ui/states';
import { Button, Group, TextInput } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { VerbList } from '../parts/rows';
import { useChosen } from '../parts/use-chosen';

const FILTERS = [
  { name: 'operator', label: 'Operator', placeholder: 'ada@example.com' },
  { name: 'action', label: 'Action', placeholder: 'account fund, or account' },
  { name: 'target', label: 'Of', placeholder: 'acct_…, rev_…, key_…' },
] as const;

export function Page() {
  const [chosen] = useChosen();
  const { operator, action, target } = chosen;
  return (
    <>
      <PageHead title="Log" lead="Everything that operators did. Nobody can change it." />
      <Filter key={JSON.stringify([operator, action, target])} />
      <VerbList
        verb="log"
        given={{ operator, action, target }}
        title="Actions"
        icon={IconHistory}
        fields={['at', 'operator', 'action', 'target', 'details', 'outcome']}
        empty="There is no such action."
      />
    </>
  );
}

function Filter() {
  const [chosen, choose] = useChosen();
  const [entries, setEntries] = useState({
    operator: chosen.operator ?? '',
    action: chosen.action ?? '',
    target: chosen.target ?? '',
  });
  return (
    <form
      role="search"
      aria-label="Filter the log"
      onSubmit={(event) => {
        event.preventDefault();
        const { operator, action, target } = entries;
        choose({
          operator: operator || undefined,
          action: action || undefined,
          target: target || undefined,
        });
      }}
    >
      <Group mb="lg" gap="sm" align="flex-end">
        {FILTERS.map(({ name, label, placeholder }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={placeholder}
            w={{ base: '100%', xs: 210 }}
            value={entries[name]}
            onChange={({ currentTarget: { value } }) =>
              setEntries((before) => ({ ...before, [name]: value.trim() }))
            }
          />
        ))}
        <Button type="submit" variant="default">
          Show
        </Button>
      </Group>
    </form>
  );
}
