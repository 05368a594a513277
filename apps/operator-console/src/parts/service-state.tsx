import { toCount, toDollars } from '@farebox/ui/format';
import { inEnglish } from '@farebox/ui/language';
import { When } from '@farebox/ui/moments';
import { Card, Facts } from '@farebox/ui/record-table';
import { Loaded } from '@farebox/ui/states';
import { Anchor, Group, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readQuery } from '../api';
import type { Row } from '../row-fields';
import { State } from './cell';
import { Lines } from './rows';
import { VerbButton } from './verb-button';

/** The part of the report of `status` that is shown. */
export interface Status {
  holds: { open: number; amount: string; oldest_seconds: number };
  open_reviews: Readonly<Record<string, number>>;
  open_disputes: { count: number; amount: string };
  upstreams: readonly Row[];
  gateways: readonly (Row & { live: boolean })[];
  queues: { queues: readonly { waiting: number; failed: number }[] | null };
  outbox: { rows: number };
  books: { checked_at: number; differences: number } | null;
  catalog_version: number;
  catalog_scheduled: { apply_at: number; state: string } | null;
  versions: { farebox: string };
}

export const statusQuery = readQuery<Status>('status');

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Open work, and whether everything runs. */
export function ServiceState() {
  const status = useQuery(statusQuery);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Card title="Now" actions={<VerbButton verb="ledger verify" label="Verify the books" size="xs" />}>
        <Loaded query={status}>{(now) => <Now status={now} />}</Loaded>
      </Card>
      <Card flush title="Upstreams" note="Of the last 15 minutes.">
        <Loaded query={status}>
          {({ upstreams }) => (
            <Lines
              rows={upstreams}
              label="Upstreams"
              fields={['upstream', 'state', 'answered', 'failed']}
              lead="state"
              empty="The catalogue has none."
            />
          )}
        </Loaded>
      </Card>
    </SimpleGrid>
  );
}

function Now({ status }: { status: Status }) {
  const { holds, open_reviews, open_disputes: disputes, gateways, queues, books, outbox } = status;
  const scheduled = status.catalog_scheduled;
  const reviews = sumOf(Object.values(open_reviews));
  const live = gateways.filter((gateway) => gateway.live).length;
  const failed = sumOf((queues.queues ?? []).map((queue) => queue.failed));
  return (
    <Facts
      facts={[
        [
          inEnglish('Open holds'),
          <Text key="holds" fz="sm" className="figures">
            {toCount(holds.open)}, {toDollars(holds.amount)}
          </Text>,
        ],
        [
          inEnglish('Reviews'),
          <Anchor key="reviews" renderRoot={(props) => <Link to="/reviews" {...props} />}>
            {reviews === 0 ? 'None is open' : `${toCount(reviews)} open`}
          </Anchor>,
        ],
        [
          inEnglish('Disputes'),
          <Anchor key="disputes" renderRoot={(props) => <Link to="/reviews" {...props} />}>
            {disputes.count === 0
              ? 'None is open'
              : `${toCount(disputes.count)} open, ${toDollars(disputes.amount)}`}
          </Anchor>,
        ],
        [
          inEnglish('Jobs'),
          <Anchor key="jobs" renderRoot={(props) => <Link to="/jobs" {...props} />}>
            {queues.queues === null
              ? 'The queues cannot be read now'
              : failed === 0
                ? `None has failed, ${toCount(outbox.rows)} in the outbox`
                : `${toCount(failed)} have failed`}
          </Anchor>,
        ],
        [
          inEnglish('Gateways'),
          <Group key="gateways" gap="xs">
            {toCount(live)} <State state={live > 0 ? 'live' : 'failing'} />
          </Group>,
        ],
        [inEnglish('Books'), <Books key="books" books={books} />],
        ...(scheduled
          ? [
              [
                inEnglish('Catalogue'),
                <Anchor
                  key="catalogue"
                  renderRoot={(props) => <Link to="/models" search={{ tab: 'versions' }} {...props} />}
                >
                  {scheduled.state === 'refused'
                    ? 'The scheduled version was refused'
                    : 'A version is scheduled'}{' '}
                  <When seconds={scheduled.apply_at} />
                </Anchor>,
              ] as const,
            ]
          : []),
      ]}
    />
  );
}

function Books({ books }: Pick<Status, 'books'>) {
  if (books === null) return 'No worker has verified them yet';
  return (
    <Group gap="xs">
      {books.differences === 0 ? (
        <State state="ok" />
      ) : (
        <Text c="red" fz="sm" fw={600}>
          {toCount(books.differences)} differences
        </Text>
      )}
      verified <When seconds={books.checked_at} />
    </Group>
  );
}
