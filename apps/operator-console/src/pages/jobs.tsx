import { PageHead } from '@farebox/ui/states';
import { Group, Switch } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { VerbList } from '../parts/rows';
import { useChosen } from '../parts/use-chosen';
import { VerbButton } from '../parts/verb-button';
import type { Row } from '../row-fields';

export function Page() {
  const [{ state }, choose] = useChosen();
  const isFailed = state === 'failed';
  return (
    <>
      <PageHead title="Jobs" lead="Work that is not done yet: mails, charges to repeat, sweeps.">
        <VerbButton verb="job retry" given={{ all: true }} ask={[]} label="Retry all that have failed" />
      </PageHead>
      <Group mb="lg">
        <Switch
          label="Only those that have failed"
          checked={isFailed}
          onChange={({ currentTarget: { checked } }) => choose({ state: checked ? 'failed' : undefined })}
        />
      </Group>
      <VerbList
        verb="job list"
        given={isFailed ? { failed: true } : {}}
        title="Unfinished jobs"
        icon={IconStack2}
        fields={['created_at', 'job', 'queue', 'state', 'attempts', 'max_attempts', 'next_try_at', 'failure']}
        actions={(row) => row['state'] === 'failed' && <Failed row={row} />}
        empty="Every job is done."
      />
    </>
  );
}

function Failed({ row }: { row: Row }) {
  const given = { job: String(row['job_id']) };
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      <VerbButton
        size="compact-sm"
        verb="job retry"
        given={given}
        ask={[]}
        label="Retry"
        title="Retry the job"
      />
      <VerbButton
        size="compact-sm"
        verb="job discard"
        given={given}
        label="Discard"
        title="Discard the job"
      />
    </Group>
  );
}
