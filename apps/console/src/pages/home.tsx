import { unwrap } from '@farebox/client';
import { Anchor, Button, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconChartBar, IconKey, IconMessage } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  accountQuery,
  activityQuery,
  apiKeysQuery,
  balanceQuery,
  client,
  modelsQuery,
  serviceQuery,
  summaryQuery,
  type Account,
} from '../api';
import { shareOf, toCount, toDollars, toShortDollars, toSpentDollars } from '../format';
import { CodeSamples, CopyableText } from '../parts/copyable';
import { Card, Figure, FigureSkeleton, RecordList } from '../parts/record-table';
import { REQUEST_COLUMNS, When } from '../parts/request-parts';
import { Empty, ErrorNotice, Loaded, PageHead } from '../parts/states';
import { UsageChart } from '../parts/usage-chart';
import { completionSamples } from '../samples';

const RECENT = 6;

export function Page() {
  const account = useQuery(accountQuery).data;
  const summary = useQuery(summaryQuery({}, 'day'));
  const recent = useInfiniteQuery(activityQuery({}, RECENT));
  // A new customer sees at the top how to make their first request.
  const isNew = summary.data?.totals.requests === 0;
  return (
    <>
      <PageHead title={account?.name ? `Welcome, ${account.name}` : 'Home'} />
      <Stack gap="lg">
        <Money />
        {isNew && <FirstCall />}
        <Card
          title="Spend"
          note={
            summary.data && !isNew
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
              isNew ? (
                <Empty icon={IconChartBar} title="Nothing used yet">
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
                Run the sample above, or{' '}
                <Anchor renderRoot={(props) => <Link to="/playground" {...props} />}>
                  try the playground
                </Anchor>
                .
              </Empty>
            }
          />
        </Card>
        {summary.data && !isNew && <FirstCall />}
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

/** The first request: a key created on the spot, the first model, and a sample to paste. */
function FirstCall() {
  const [secret, setSecret] = useState<string>();
  const queryClient = useQueryClient();
  const service = useQuery(serviceQuery);
  const models = useQuery(modelsQuery);
  const keys = useInfiniteQuery(apiKeysQuery('active'));
  const make = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/api-keys', { body: { name: 'First key' } })),
    onSuccess: async ({ key }) => {
      setSecret(key);
      await queryClient.invalidateQueries({ queryKey: ['api-keys'] });
    },
  });
  const hasKey = keys.data?.pages.some((page) => page.data.length > 0);
  const model = models.data?.data[0]?.id;
  return (
    <Card title="Make a request" note="Any OpenAI client works with this base URL.">
      <Stack align="stretch">
        {secret ? (
          <Stack gap={4}>
            <Text size="sm">Your API key. It is shown only this once, so store it with your secrets.</Text>
            <CopyableText text={secret} label="Copy the API key" />
          </Stack>
        ) : (
          <Text size="sm" c="dimmed">
            {hasKey
              ? 'Put one of your API keys into the variable FAREBOX_API_KEY, then run this.'
              : 'Create an API key, then run this.'}
          </Text>
        )}
        {make.error && <ErrorNotice error={make.error} />}
        {hasKey === false && !secret && (
          <Button
            w="fit-content"
            leftSection={<IconKey size={16} aria-hidden />}
            loading={make.isPending}
            onClick={() => make.mutate()}
          >
            Create my first API key
          </Button>
        )}
        <Loaded query={service} skeleton={<Skeleton height={220} />}>
          {({ base_url }) =>
            model && <CodeSamples samples={completionSamples({ baseUrl: base_url, apiKey: secret, model })} />
          }
        </Loaded>
        {models.error && <ErrorNotice error={models.error} retry={() => void models.refetch()} />}
      </Stack>
    </Card>
  );
}
