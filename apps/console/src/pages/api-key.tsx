import { Anchor, Badge, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { apiKeyQuery, limitsQuery, summaryQuery, type ApiKey } from '../api';
import { toDollars, toSpentDollars, toTime } from '@farebox/ui/format';
import { KEY_STATUSES } from '../key-settings';
import { toLimitRows } from '../limit-rows';
import { CopyableText } from '@farebox/ui/copyable';
import { Card, Facts } from '@farebox/ui/record-table';
import { LimitTable } from '../parts/limit-table';
import { KeyChanges } from '../parts/key-changes';
import { useRecordTitle } from '@farebox/ui/record-title';
import { Empty, Loaded, PageHead } from '@farebox/ui/states';
import type { Measure } from '@farebox/ui/chart';
import { UsageChart } from '../parts/usage-chart';
import { t } from '@farebox/ui/language';

export function Page() {
  const { keyPublicId } = useParams({ from: '/shell/keys/$keyPublicId' });
  const key = useQuery(apiKeyQuery(keyPublicId));
  useRecordTitle(key.data?.name);
  if (key.data) return <Key record={key.data} />;
  return (
    <>
      <PageHead title={t('API key')} back={<Back />} />
      <Loaded query={key}>{() => null}</Loaded>
    </>
  );
}

const Back = () => <Anchor renderRoot={(props) => <Link to="/keys" {...props} />}>{t('API keys')}</Anchor>;

function Key({ record }: { record: ApiKey }) {
  const [measure, setMeasure] = useState<Measure>('cost');
  const limits = toLimitRows(
    (useQuery(limitsQuery).data?.data ?? []).filter((limit) => limit.key_public_id === record.key_public_id),
  );
  const usage = useQuery(summaryQuery({ key_public_id: record.key_public_id }, 'day'));
  return (
    <>
      <PageHead title={<bdi>{record.name}</bdi>} back={<Back />}>
        <KeyChanges record={record} />
      </PageHead>
      <Stack gap="lg">
        <Card
          title={t('The last 30 days, UTC')}
          note={
            usage.data &&
            t('{amount} for {count, plural, one {# request} other {# requests}}', {
              ...{ amount: toSpentDollars(usage.data.totals.cost), count: usage.data.totals.requests },
            })
          }
          actions={
            <SegmentedControl
              size="xs"
              aria-label={t('Measure')}
              value={measure}
              onChange={(value) => setMeasure(value)}
              data={[
                { value: 'cost', label: t('Spend') },
                { value: 'requests', label: t('Requests') },
              ]}
            />
          }
        >
          <Loaded query={usage} skeleton={<Skeleton height={220} />}>
            {({ series, totals }) =>
              totals.requests === 0 ? (
                <Empty icon={IconChartBar} title={t('Not used in this period')}>
                  {t('Requests with this key are shown here, day by day.')}
                </Empty>
              ) : (
                <UsageChart
                  series={[{ id: record.key_public_id, name: record.name, buckets: series }]}
                  bucket="day"
                  measure={measure}
                />
              )
            }
          </Loaded>
        </Card>
        <Card
          title={t('Key')}
          actions={
            <Anchor
              fz="sm"
              renderRoot={(props) => (
                <Link to="/activity" search={{ key_public_id: record.key_public_id }} {...props} />
              )}
            >
              {t('Requests of this key')}
            </Anchor>
          }
        >
          <Facts facts={factsOf(record)} />
        </Card>
        {limits.length > 0 && (
          <Card flush title={t('Limits')} note={t('The operator sets them.')}>
            <LimitTable rows={limits} />
          </Card>
        )}
      </Stack>
    </>
  );
}

function factsOf(record: ApiKey) {
  const { status, monthly_spend_limit: limit, last_used_at, expires_at, revoked_at } = record;
  return [
    [
      'Status',
      <Badge key="status" color={KEY_STATUSES[status].colour}>
        {t(KEY_STATUSES[status].name)}
      </Badge>,
    ],
    [
      'Key',
      <span key="key" className="code">
        ak-…{record.hint}
      </span>,
    ],
    ['Id', <CopyableText key="id" text={record.key_public_id} label={t('Copy the id of the key')} />],
    ['Spent this month', toDollars(record.monthly_spend)],
    ['Monthly limit', limit === null ? t('None') : toDollars(limit)],
    ['Models', modelsOf(record)],
    ['Allowed origins', record.allowed_origins?.join(', ') ?? t('Any program may use it')],
    [
      'Account limits',
      record.shows_account_limits ? t('Shown to users of the key') : t('Not shown to users of the key'),
    ],
    ['Created', toTime(record.created_at)],
    ['Last used', last_used_at === null ? t('Never') : toTime(last_used_at)],
    ['Expires', expires_at === null ? t('Never') : toTime(expires_at)],
    ...(revoked_at === null ? [] : [['Revoked', toTime(revoked_at)] as const]),
  ] as const;
}

function modelsOf({ model_policy: policy }: ApiKey): string {
  if (policy === null) return t('All');
  const names = policy.models.join(', ') || t('none');
  return policy.mode === 'allow' ? t('Only {names}', { names }) : t('All but {names}', { names });
}
