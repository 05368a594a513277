import { Select, TextInput } from '@mantine/core';
import { IconActivity, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type ActivityFilter, activityQuery, toUsageQuery } from '../api';
import { useCsvDownload } from '../download';
import { CsvButton, CsvFailure } from '../parts/csv-button';
import { Card, RecordList } from '@farebox/ui/record-table';
import { OUTCOMES, REQUEST_COLUMNS } from '../parts/request-parts';
import { Empty, PageHead } from '@farebox/ui/states';
import { UsageFilterBar } from '../parts/usage-filter';
import { asOutcome } from '../search-params';
import { withStart } from '../usage-range';
import { t } from '@farebox/ui/language';

export function Page() {
  const filter = useSearch({ from: '/shell/activity' });
  const navigate = useNavigate({ from: '/activity' });
  const [nowMs] = useState(Date.now);
  const shown = withStart(filter, nowMs);
  const requests = useInfiniteQuery(activityQuery(shown));
  const download = useCsvDownload();
  const change = (changed: ActivityFilter) =>
    void navigate({ search: { ...filter, ...changed }, replace: true, resetScroll: false });
  return (
    <>
      <PageHead
        title={t('Activity')}
        lead={t('Every request of your account, including those that failed or were refused.')}
      >
        <FindRequest />
        <CsvButton
          download={download}
          request={{ of: 'usage', query: { ...toUsageQuery(shown), outcome: filter.outcome ?? 'all' } }}
        />
      </PageHead>
      <CsvFailure download={download} />
      <UsageFilterBar filter={filter} change={change}>
        <Select
          aria-label={t('Outcome')}
          placeholder={t('All outcomes')}
          clearable
          w={{ base: '100%', xs: 150 }}
          data={Object.entries(OUTCOMES).map(([value, { name }]) => ({ value, label: t(name) }))}
          value={filter.outcome ?? null}
          onChange={(outcome) => change({ outcome: asOutcome(outcome) })}
        />
      </UsageFilterBar>
      <Card flush>
        <RecordList
          query={requests}
          label={t('Requests')}
          columns={REQUEST_COLUMNS}
          keyOf={({ id }) => id}
          empty={
            <Empty icon={IconActivity} title={t('No requests here')}>
              {t('There are none in this range, or the filter excludes them.')}
            </Empty>
          }
        />
      </Card>
    </>
  );
}

/** Opens a request by any of its ids: the service's own, the completion's, or one that the client gave it. */
function FindRequest() {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  return (
    <form
      role="search"
      aria-label={t('Find a request')}
      onSubmit={(event) => {
        event.preventDefault();
        if (id !== '') void navigate({ to: '/activity/$requestId', params: { requestId: id } });
      }}
    >
      <TextInput
        aria-label={t('Request id')}
        placeholder={t('Find by request id')}
        leftSection={<IconSearch size={16} aria-hidden />}
        w={{ base: '100%', xs: 230 }}
        maxLength={128}
        value={id}
        onChange={({ currentTarget: { value } }) => setId(value.trim())}
      />
    </form>
  );
}
