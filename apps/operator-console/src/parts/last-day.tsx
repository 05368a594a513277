import { Chart, type Bucket, type Measure } from '@farebox/ui/chart';
import { Card } from '@farebox/ui/record-table';
import { Loaded } from '@farebox/ui/states';
import { SimpleGrid } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { readQuery } from '../api';
import { bucketsOf, firstHourBefore } from '../hours';
import type { Row } from '../row-fields';

type ByHour = UseQueryResult<{ data: readonly Row[] }>;

const CHART_HEIGHT = 170;

const firstHour = (): number => firstHourBefore(Date.now());

const countOf =
  (field: string) =>
  (row: Row): Partial<Bucket> => ({ requests: Number(row[field]) });
const revenueOf = (row: Row): Partial<Bucket> => ({ cost: String(row['revenue']) });

/** Revenue, requests and errors of the last 24 hours, whatever period is chosen. */
export function LastDay() {
  const first = firstHour();
  const given = { since: String(first), group_by: 'hour' };
  const sold: ByHour = useQuery(readQuery<{ data: readonly Row[] }>('report revenue', given));
  const refused: ByHour = useQuery(readQuery<{ data: readonly Row[] }>('report refusals', given));
  return (
    <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="lg">
      <HourChart
        title="Revenue by hour"
        query={sold}
        first={first}
        measure="cost"
        parts={[{ name: 'Revenue', read: revenueOf }]}
      />
      <HourChart
        title="Charged requests by hour"
        query={sold}
        first={first}
        measure="requests"
        parts={[{ name: 'Charged', read: countOf('requests') }]}
      />
      <HourChart
        title="Failed and refused by hour"
        query={refused}
        first={first}
        measure="requests"
        parts={[
          { name: 'Failed', read: countOf('failed') },
          { name: 'Refused', read: countOf('refused') },
        ]}
      />
    </SimpleGrid>
  );
}

function HourChart({
  title,
  query,
  first,
  measure,
  parts,
}: {
  title: string;
  query: ByHour;
  first: number;
  measure: Measure;
  parts: readonly { name: string; read: (row: Row) => Partial<Bucket> }[];
}) {
  return (
    <Card title={title} note="The last 24 hours, UTC.">
      <Loaded query={query}>
        {({ data }) => (
          <Chart
            caption={`${title}, UTC`}
            series={parts.map(({ name, read }) => ({
              id: name,
              name,
              buckets: bucketsOf(data, first, read),
            }))}
            bucket="hour"
            measure={measure}
            height={CHART_HEIGHT}
          />
        )}
      </Loaded>
    </Card>
  );
}
