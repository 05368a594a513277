import { Anchor, Box, Button, Center, Select, Title } from '@mantine/core';
import { IconActivity, IconMapPinOff } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ActivityFilter, activityQuery } from '../api';
import { Card, RecordList } from '../parts/record-table';
import { OUTCOMES, REQUEST_COLUMNS } from '../parts/request-parts';
import { Empty, ErrorNotice, PageHead } from '../parts/states';
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
        lead="Every request of your account, including those that failed or were refused."
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
              There are none in this range, or the filter excludes them.
            </Empty>
          }
        />
      </Card>
    </>
  );
}

export function NotFoundPage() {
  return (
    <Center mih="60vh" component="main">
      <Empty icon={IconMapPinOff} title={<Title order={1}>There is no such page</Title>}>
        <Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to the home page</Anchor>
      </Empty>
    </Center>
  );
}

/** Replaces a page that failed to render, or whose code could not be loaded. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  return (
    <Box maw={640} mx="auto" p="md" component="main">
      <ErrorNotice error={error} retry={reset} />
      <Button mt="md" variant="default" onClick={() => window.location.reload()}>
        Reload the page
      </Button>
    </Box>
  );
}
