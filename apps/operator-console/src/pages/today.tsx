import { toCount, toShortDollars, toSpentDollars } from '@farebox/ui/format';
import { Figure, FigureSkeleton } from '@farebox/ui/record-table';
import { Loaded, PageHead } from '@farebox/ui/states';
import { SegmentedControl, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { readQuery } from '../api';
import { CsvButton } from '../parts/csv-button';
import { LastDay } from '../parts/last-day';
import { ReportCard } from '../parts/rows';
import { ServiceState } from '../parts/service-state';
import { useChosen } from '../parts/use-chosen';

const PERIODS = [
  { value: 'today', label: 'Today' },
  { value: '7d', label: '7 days' },
  { value: 'month', label: 'This month' },
];

/** As the verbs read a time. All days are those of UTC. */
const startOf = (period: string): string =>
  period === 'month' ? new Date().toISOString().slice(0, 'yyyy-mm'.length) : period;

interface Totals {
  requests: number;
  revenue: string;
  cost: string;
  margin: string;
  requests_without_cost: number;
  revenue_without_cost: string;
  abandoned_requests: number;
  abandoned_cost: string;
}

const MOST = '8';

export function Page() {
  const [{ period = 'today' }, choose] = useChosen();
  const since = startOf(period);
  const top = { since, limit: MOST };
  const csv = (verb: string, given: Record<string, string>, of: string) => (
    <CsvButton verb={verb} given={given} label={`${of} as CSV`} />
  );
  return (
    <>
      <PageHead title="Today" lead="What was sold, what it cost, and what needs you. Days are those of UTC.">
        <SegmentedControl
          aria-label="Period"
          data={PERIODS}
          value={period}
          onChange={(value) => choose({ period: value === 'today' ? undefined : value })}
        />
      </PageHead>
      <Stack gap="lg">
        <Sold since={since} />
        <LastDay />
        <ServiceState />
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <ReportCard
            verb="report customers"
            given={top}
            title="Best customers"
            fields={['email', 'requests', 'revenue']}
            head={csv('report customers', { since }, 'Best customers')}
            empty="Nobody has paid for a request."
          />
          <ReportCard
            verb="report revenue"
            given={{ ...top, group_by: 'model' }}
            title="Best models"
            fields={['model', 'requests', 'revenue']}
            head={csv('report revenue', { since, group_by: 'model' }, 'Best models')}
            empty="Nothing was charged."
          />
        </SimpleGrid>
        <ReportCard
          verb="margin"
          given={{ from: since, group_by: 'model' }}
          title="Margin by model"
          note="What remains after the costs of the routes in the catalogue."
          fields={[
            'model',
            'requests',
            'revenue',
            'cost',
            'margin',
            'requests_without_cost',
            'abandoned_cost',
          ]}
          lead="margin"
          head={csv('margin', { from: since, group_by: 'model' }, 'Margin')}
          empty="Nothing was charged."
        />
        <ReportCard
          verb="report refusals"
          given={{ ...top, group_by: 'code' }}
          title="Refused and failed"
          note="Requests that cost nothing, by the error that their client got."
          lead="refused"
          head={csv('report refusals', { since, group_by: 'code' }, 'Refused and failed')}
          empty="No request was refused or failed."
        />
        <ReportCard
          verb="report upstreams"
          given={{ since }}
          title="Routes"
          note="Times of charged requests."
          lead="requests"
          hidden={['client_gone', 'p95_first_token_ms']}
          head={csv('report upstreams', { since }, 'Routes')}
          empty="No request was charged."
        />
      </Stack>
    </>
  );
}

function Sold({ since }: { since: string }) {
  const margin = useQuery(readQuery<{ totals: Totals }>('margin', { from: since }));
  const refusals = useQuery(
    readQuery<{ data: readonly { refused: number; failed: number }[] }>('report refusals', { since }),
  );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
      <Loaded query={margin} skeleton={<FigureSkeleton />}>
        {({ totals }) => (
          <>
            <Figure
              label="Revenue"
              value={toShortDollars(totals.revenue)}
              note={`${toCount(totals.requests)} charged ${totals.requests === 1 ? 'request' : 'requests'}`}
            />
            <Figure
              label="Upstream cost"
              value={toSpentDollars(totals.cost)}
              note={
                totals.requests_without_cost === 0
                  ? `and ${toSpentDollars(totals.abandoned_cost)} for ${toCount(totals.abandoned_requests)} that were left`
                  : `not known of ${toCount(totals.requests_without_cost)} of them`
              }
            />
            <Figure
              label="Margin"
              value={toShortDollars(totals.margin)}
              note={
                totals.requests_without_cost === 0
                  ? 'revenue less all costs'
                  : `without ${toShortDollars(totals.revenue_without_cost)} whose cost is not known`
              }
            />
          </>
        )}
      </Loaded>
      <Loaded query={refusals} skeleton={<FigureSkeleton />}>
        {({ data }) => (
          <Figure
            label="Failed"
            value={toCount(data.reduce((sum, { failed }) => sum + failed, 0))}
            note={`and ${toCount(data.reduce((sum, { refused }) => sum + refused, 0))} refused`}
          />
        )}
      </Loaded>
    </SimpleGrid>
  );
}
