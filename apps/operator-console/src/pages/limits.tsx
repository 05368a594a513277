import { PageHead } from '@farebox/ui/states';
import { IconAdjustments } from '@tabler/icons-react';
import { Stack } from '@mantine/core';
import { LIMIT_FIELDS, RemoveLimit } from '../parts/limit-rows';
import { ReportCard, VerbList } from '../parts/rows';
import { VerbButton } from '../parts/verb-button';

export function Page() {
  return (
    <>
      <PageHead
        title="Limits"
        lead="What customers may use in a minute, 5 hours, a day, a week or a month. The tightest limit counts."
      >
        <VerbButton verb="limit set" label="Set a limit" variant="filled" />
      </PageHead>
      <Stack gap="lg">
        <VerbList
          verb="limit list"
          title="All limits"
          icon={IconAdjustments}
          fields={LIMIT_FIELDS}
          actions={(row) => <RemoveLimit row={row} />}
          empty="No limit is set."
        />
        <ReportCard
          verb="report refusals"
          given={{ since: 'today', group_by: 'account', code: 'rate_limit_error' }}
          title="Who met the request limit today"
          empty="Nobody has."
        />
        <ReportCard
          verb="report refusals"
          given={{ since: 'today', group_by: 'account', code: 'spending_limit_exceeded' }}
          title="Who met a spending limit today"
          empty="Nobody has."
        />
        <ReportCard
          verb="cohort list"
          title="Cohorts"
          note="Their daily caps apply to accounts without their own."
          head={<VerbButton size="xs" verb="cohort set" label="Create or change a cohort" />}
          empty="There are no cohorts."
        />
      </Stack>
    </>
  );
}
