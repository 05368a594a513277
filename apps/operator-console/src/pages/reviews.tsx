import { PageHead } from '@farebox/ui/states';
import { Group, Select, Stack } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { Disputes } from '../parts/disputes';
import { VerbList } from '../parts/rows';
import { useChosen } from '../parts/use-chosen';
import { VerbButton } from '../parts/verb-button';

const STATES = ['open', 'charged', 'waived', 'all'];
const ALL_OF_THEM = ['reason', 'account', 'model', 'since', 'note'];

export function Page() {
  const [{ state }, choose] = useChosen();
  return (
    <>
      <PageHead title="Reviews" lead="Requests whose charge somebody has to decide, and disputed payments.">
        <VerbButton
          verb="review resolve"
          given={{ all: true, as_proposed: true }}
          ask={ALL_OF_THEM}
          label="Resolve as proposed"
          title="Resolve open reviews as proposed"
        />
        <VerbButton
          verb="review resolve"
          given={{ all: true, waive: true }}
          ask={ALL_OF_THEM}
          label="Waive"
          title="Waive open reviews"
        />
      </PageHead>
      <Group mb="lg">
        <Select
          aria-label="State"
          w={{ base: '100%', xs: 160 }}
          data={STATES}
          allowDeselect={false}
          value={state ?? 'open'}
          onChange={(value) => choose({ state: value === 'open' ? undefined : (value ?? undefined) })}
        />
      </Group>
      <Stack gap="lg">
        <VerbList
          verb="review list"
          given={{ state: state ?? 'open' }}
          title="Reviews"
          icon={IconChecklist}
          fields={[
            ...['created_at', 'review_id', 'reason', 'state', 'account_id', 'model'],
            ...['reserved', 'measured_cost', 'proposed_resolution'],
          ]}
          empty="No review is waiting."
        />
        <Disputes given={{}} empty="No dispute is open." />
      </Stack>
    </>
  );
}
