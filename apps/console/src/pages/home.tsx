import { Anchor, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { IconChartBar, IconMessage } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountQuery, activityQuery, balanceQuery, summaryQuery, type Account } from '../api';
import { shareOf, toCount, toDollars, toShortDollars, toSpentDollars } from '../format';
import { FirstCall, FirstSteps } from '../parts/first-call';
import { Card, Figure, FigureSkeleton, RecordList } from '../parts/record-table';
import { REQUEST_COLUMNS, When } from '../parts/request-parts';
import { Empty, Loaded, PageHead } from '../parts/states';
import { UsageChart } from '../parts/usage-chart';

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
      <PageHead title={account?.name ? `Welcome, ${account.name}` : 'Home'} />
      <Stack gap="lg">
        <Money />
        {isNew && <FirstSteps />}
        <Card
          title="Spend"
          note={
            summary.data && !isUnused
              ? `${toSpentDollars(summary.data.totals.cost)} in the last 30 days, UTC`
              : 'In the last 30 days, UTC'
          }
          actions={
            <Anchor fz="sm" renderRoot={(props) => <Link to="/usage" {...props} />}>
              All usage
            </Anchor>
          }
        >
          <Loaded query={summary} skeleton={<Skeleton height={220} />}>
            {({ series }) =>
              isUnused ? (
                <Empty icon={IconChartBar} title={isNew ? 'Nothing used yet' : 'Nothing used in 30 days'}>
                  What you spend shows here, by the day.
                </Empty>
              ) : (
                <UsageChart
                  series={[{ id: 'all', name: 'Spend', buckets: series }]}
                  bucket="day"
                  measure="cost"
                />
              )
            }
          </Loaded>
        </Card>
        <Card
          flush
          title="Recent requests"
          actions={
            <Anchor fz="sm" renderRoot={(props) => <Link to="/activity" {...props} />}>
              All activity
            </Anchor>
          }
        >
          <RecordList
            query={recent}
            isWhole={false}
            label="Recent requests"
            columns={REQUEST_COLUMNS}
            keyOf={({ id }) => id}
            empty={
              <Empty icon={IconMessage} title="No requests yet">
                Run the sample, or{' '}
                <Anchor renderRoot={(props) => <Link to="/playground" {...props} />}>
                  try the playground
                </Anchor>
                .
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
            label="Available"
            value={toShortDollars(available)}
            note={`${toDollars(held)} held for requests under way`}
            action={
              <Anchor
                fz="sm"
                renderRoot={(props) => <Link to="/billing" search={{ add: true }} {...props} />}
              >
                Add funds
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
  const reopens = (
    <>
      starts over <When seconds={today.resets_at} />
    </>
  );
  return (
    <>
      <Figure
        label="Spent today"
        value={toSpentDollars(today.spend)}
        share={caps.daily_spend === null ? undefined : shareOf(today.spend, caps.daily_spend)}
        note={
          caps.daily_spend === null || today.spend_left === null ? (
            'No daily cap'
          ) : (
            <>
              {toShortDollars(today.spend_left)} left of {toShortDollars(caps.daily_spend)}, {reopens}
            </>
          )
        }
      />
      <Figure
        label="Requests today"
        value={toCount(today.requests)}
        share={
          caps.daily_requests === null ? undefined : (100 * today.requests) / Math.max(1, caps.daily_requests)
        }
        note={
          caps.daily_requests === null || today.requests_left === null ? (
            'No daily cap'
          ) : (
            <>
              {toCount(today.requests_left)} left of {toCount(caps.daily_requests)}, {reopens}
            </>
          )
        }
      />
      <Figure
        label="Spent this month"
        value={toSpentDollars(month.spend)}
        note={`${toCount(month.requests)} requests since the first, UTC`}
      />
    </>
  );
}
