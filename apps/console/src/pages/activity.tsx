import { Select } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { activityQuery, type ActivityFilter } from '../api';
import { Card } from '../parts/figures';
import { RecordList } from '../parts/record-table';
import { OUTCOMES, REQUEST_COLUMNS } from '../parts/request-parts';
import { Empty, PageHead } from '../parts/states';
import { UsageFilterBar } from '../parts/usage-filter';
import { asOutcome } from '../search-params';

const OUTCOME_CHOICES = Object.entries(OUTCOMES).map(([value, { name }]) => ({ value, label: name }));

export function Page() {
  const filter = useSearch({ from: '/shell/activity' });
  const navigate = useNavigate({ from: '/activity' });
  const requests = useInfiniteQuery(activityQuery(filter));
  const change = (changed: ActivityFilter) =>
    void navigate({ search: { ...filter, ...changed }, replace: true, resetScroll: false });
  return (
    <>
      <PageHead
        title="Activity"
        lead="Every request of your account, also those that failed or were refused."
      />
      <UsageFilterBar filter={filter} change={change}>
        <Select
          aria-label="Outcome"
          placeholder="All outcomes"
          clearable
          w={{ base: '100%', xs: 150 }}
          data={OUTCOME_CHOICES}
          value={filter.outcome ?? null}
          onChange={(outcome) => change({ outcome: asOutcome(outcome) })}
        />
      </UsageFilterBar>
      <Card flush>
        <RecordList
          query={requests}
          label="Requests"
          columns={REQUEST_COLUMNS}
          keyOf={({ id }) => id}
          empty={
            <Empty icon={IconActivity} title="No requests here">
              There were none in this range, or the filter lets none through.
            </Empty>
          }
        />
      </Card>
    </>
  );
}
