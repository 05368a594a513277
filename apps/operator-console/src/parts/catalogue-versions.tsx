import { Anchor } from '@mantine/core';
import { IconCalendarTime, IconHistory } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Row } from '../row-fields';
import { VerbList } from './rows';
import { VerbButton } from './verb-button';

/** The files that were applied, or will be. Each can be compared with what is in force, and applied again. */
export function CatalogueVersions() {
  return (
    <>
      <VerbList
        verb="catalog scheduled"
        given={{ limit: '1000' }}
        title="Scheduled"
        note="A version is applied at its time, unless another one was applied since it was scheduled."
        icon={IconCalendarTime}
        actions={(row) => <ScheduleActions row={row} />}
        empty="No version was scheduled yet."
      />
      <VerbList
        verb="catalog versions"
        given={{ limit: '1000' }}
        title="Versions"
        note="Applied by operators, the newest first."
        icon={IconHistory}
        actions={(row) => <CompareLink version={String(row['version'])} />}
        empty="No version was applied by an operator yet."
      />
    </>
  );
}

function ScheduleActions({ row: { state } }: { row: Row }) {
  if (state !== 'scheduled' && state !== 'refused') return null;
  return (
    <>
      <CompareLink version="scheduled" />{' '}
      <VerbButton
        verb="catalog unschedule"
        label={state === 'refused' ? 'Dismiss' : 'Withdraw'}
        title={state === 'refused' ? 'End the notice' : 'Withdraw the scheduled version'}
        size="compact-sm"
      />
    </>
  );
}

/** `scheduled`: the file that waits for its time. */
function CompareLink({ version }: { version: string }) {
  return (
    <Anchor
      fz="sm"
      renderRoot={(props) => <Link to="/models" search={{ tab: 'change', version }} {...props} />}
    >
      Compare
    </Anchor>
  );
}
