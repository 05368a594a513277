import { Anchor, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { IconChartBar, IconMessage } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountQuery, activityQuery, balanceQuery, summaryQuery, type Account } from '../api';
import { shareOf, toCount, toDollars, toShortDollars, toSpentDollars } from '@farebox/ui/format';
import { FirstCall, FirstSteps } from '../parts/first-call';
import { Card, Figure, FigureSkeleton, RecordList } from '@farebox/ui/record-table';
import { When } from '@farebox/ui/moments';
import { REQUEST_COLUMNS } from '../parts/request-parts';
import { Empty, Loaded, PageHead } from '@farebox/ui/states';
import { UsageChart } from '../parts/usage-chart';
import { rich, t } from '@farebox/ui/language';

const RECENT = 6;

export function Page() {
  const account = useQuery(accountQuery).data;
  const summary = useQuery(summaryQuery({}, 'day'));
  const recent = useInfiniteQuery(activityQuery({}, RECENT));
  const succeeded = useInfiniteQuery(activityQuery({ outcome: 'completed' }, 1));
  // A new customer sees at the top how to make their first request, until one has succeeded, however long ago.
  const isNew = succeeded.data?.pages[0]?.data.length === 0;
  const isUnused = summary.data?.totals.requests === 0;
  return (
    <>
      <PageHead title={account?.name ? t('Welcome, {name}', { name: account.name }) : t('Home')} />
      <Stack gap="lg">
        <Money />
        {isNew && <FirstSteps />}
        <Card
          title={t('Spend')}
          note={
            summary.data && !isUnused
              ? t('{amount} in the last 30 days, UTC', { amount: toSpentDollars(summary.data.totals.cost) })
              : t('In the last 30 days, UTC')
          }
          actions={
            <Anchor fz="sm" renderRoot={(props) => <Link to="/usage" {...props} />}>
              {t('All usage')}
            </Anchor>
          }
        >
          <Loaded query={summary} skeleton={<Skeleton height={220} />}>
            {({ series }) =>
              isUnused ? (
                <Empty
                  icon={IconChartBar}
                  title={isNew ? t('Nothing used yet') : t('Nothing used in 30 days')}
                >
                  {t('What you spend is shown here, day by day.')}
                </Empty>
              ) : (
                <UsageChart
                  series={[{ id: 'all', name: t('Spend'), buckets: series }]}
                  bucket="day"
                  measure="cost"
                />
              )
            }
          </Loaded>
        </Card>
        <Card
          flush
          title={t('Recent requests')}
          actions={
            <Anchor fz="sm" renderRoot={(props) => <Link to="/activity" {...props} />}>
              {t('All activity')}
            </Anchor>
          }
        >
          <RecordList
            query={recent}
            isWhole={false}
            label={t('Recent requests')}
            columns={REQUEST_COLUMNS}
            keyOf={({ id }) => id}
            empty={
              <Empty icon={IconMessage} title={t('No requests yet')}>
                {rich('Run the sample, or <link>try the playground</link>.', {
                  link: (words) => (
                    <Anchor renderRoot={(props) => <Link to="/playground" {...props} />}>{words}</Anchor>
                  ),
                })}
              </Empty>
            }
          />
        </Card>
        {succeeded.data && !isNew && <FirstCall />}
      </Stack>
    </>
  );
}

/** The balance, and the remaining limits of today and this month. */
function Money() {
  const balance = useQuery(balanceQuery);
  const account = useQuery(accountQuery);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Loaded query={balance} skeleton={<FigureSkeleton />}>
        {({ available, held }) => (
          <Figure
            label={t('Available')}
            value={toShortDollars(available)}
            note={t('{amount} held for requests under way', { amount: toDollars(held) })}
            action={
              <Anchor
                fz="sm"
                renderRoot={(props) => <Link to="/billing" search={{ add: true }} {...props} />}
              >
                {t('Add funds')}
              </Anchor>
            }
          />
        )}
      </Loaded>
      <Loaded
        query={account}
        skeleton={
          <>
            <FigureSkeleton />
            <FigureSkeleton />
            <FigureSkeleton />
          </>
        }
      >
        {(data) => <Spent account={data} />}
      </Loaded>
    </SimpleGrid>
  );
}

function Spent({ account: { today, month, caps } }: { account: Account }) {
  const leftOf = (left: string, whole: string) =>
    rich('{left} of {whole} left, resets {when}', {
      ...{ left, whole, when: <When seconds={today.resets_at} /> },
    });
  return (
    <>
      <Figure
        label={t('Spent today')}
        value={toSpentDollars(today.spend)}
        share={caps.daily_spend === null ? undefined : shareOf(today.spend, caps.daily_spend)}
        note={
          caps.daily_spend === null || today.spend_left === null
            ? t('No daily cap')
            : leftOf(toShortDollars(today.spend_left), toShortDollars(caps.daily_spend))
        }
      />
      <Figure
        label={t('Requests today')}
        value={toCount(today.requests)}
        share={
          caps.daily_requests === null ? undefined : (100 * today.requests) / Math.max(1, caps.daily_requests)
        }
        note={
          caps.daily_requests === null || today.requests_left === null
            ? t('No daily cap')
            : leftOf(toCount(today.requests_left), toCount(caps.daily_requests))
        }
      />
      <Figure
        label={t('Spent this month')}
        value={toSpentDollars(month.spend)}
        note={t('{count, plural, one {# request} other {# requests}} since the 1st, UTC', {
          count: month.requests,
        })}
      />
    </>
  );
}
