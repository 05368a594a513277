import { CopyableText } from '@farebox/ui/copyable';
import { toCount, toDollars, toDuration } from '@farebox/ui/format';
import { inEnglish } from '@farebox/ui/language';
import { Moment } from '@farebox/ui/moments';
import { Card, Facts } from '@farebox/ui/record-table';
import { useRecordTitle } from '@farebox/ui/record-title';
import { Loaded, PageHead } from '@farebox/ui/states';
import { Anchor, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { readQuery } from '../api';
import { Cell, CustomerLink, State } from '../parts/cell';
import { Lines } from '../parts/rows';
import { useChosen } from '../parts/use-chosen';
import { VerbButton } from '../parts/verb-button';
import type { Row } from '../row-fields';

/** The report of `request show`. */
interface FoundRequest {
  id: string;
  request_id: string;
  state: string;
  account_id: string;
  account_email: string;
  key_public_id: string;
  key_name: string;
  model: string | null;
  upstream: string | null;
  upstream_model: string | null;
  held: string | null;
  usage: { prompt_tokens: number; completion_tokens: number } | null;
  cost: string | null;
  outcome: string | null;
  estimated: boolean | null;
  first_token_ms: number | null;
  upstream_cost: string | null;
  abandoned_cost: string | null;
  error_code: string | null;
  error_message: string | null;
  http_status: number | null;
  ended_at: number | null;
  entries: readonly Row[];
  review: { review_id: string; reason: string; state: string } | null;
}

export function Page() {
  const { request } = useParams({ from: '/requests/$request' });
  const [{ account }] = useChosen();
  const found = useQuery(readQuery<FoundRequest>('request show', { request, account }));
  return <Loaded query={found}>{(shown) => <Story request={shown} />}</Loaded>;
}

function Story({ request }: { request: FoundRequest }) {
  useRecordTitle(request.id);
  return (
    <>
      <PageHead
        title={request.model ?? 'Request'}
        lead={
          <Group gap="xs" component="span">
            <State state={request.state} />
            {request.account_email}
          </Group>
        }
        back={<Anchor renderRoot={(props) => <Link to="/requests" {...props} />}>Requests</Anchor>}
      >
        {request.state === 'charged' && (
          <VerbButton
            verb="request refund"
            given={{ request: [request.id] }}
            ask={['reason']}
            label="Refund"
            title="Refund the request"
          />
        )}
      </PageHead>
      <Stack gap="lg">
        <Card title="What happened">
          <Facts facts={factsOf(request)} />
        </Card>
        <Card flush title="In the ledger" note="Every entry of the request, with the balance after it.">
          <Lines
            rows={request.entries}
            label="Ledger entries"
            fields={['created_at', 'type', 'amount', 'balance_after']}
            empty="Nothing was booked."
          />
        </Card>
      </Stack>
    </>
  );
}

type Fact = Parameters<typeof Facts>[0]['facts'][number];

/** In the order in which it happened. */
function factsOf(request: FoundRequest): Fact[] {
  const { usage, review } = request;
  const known = (name: string, value: React.ReactNode): Fact[] =>
    value === null || value === undefined ? [] : [[inEnglish(name), value]];
  return [
    ...known('Id', <CopyableText text={request.id} label="Copy the id of the request" />),
    ...known(
      "Client's id",
      request.request_id === request.id ? null : (
        <CopyableText text={request.request_id} label="Copy the client's id" />
      ),
    ),
    ...known('Customer', <CustomerLink account={request.account_id}>{request.account_email}</CustomerLink>),
    ...known('API key', request.key_name),
    ...known('Held', request.held && toDollars(request.held)),
    ...known(
      'Upstream',
      request.upstream === null
        ? 'None was asked, or it is not known'
        : `${request.upstream}, model ${request.upstream_model ?? 'not known'}`,
    ),
    ...known(
      'Usage',
      usage &&
        `${toCount(usage.prompt_tokens)} prompt and ${toCount(usage.completion_tokens)} completion tokens${request.estimated ? ', counted by the service itself' : ''}`,
    ),
    ...known(
      'First token',
      request.first_token_ms === null ? null : `after ${toDuration(request.first_token_ms)}`,
    ),
    ...known('Outcome', request.outcome && <State state={request.outcome} />),
    ...known(
      'Error',
      request.error_code &&
        `${String(request.http_status)} ${request.error_code}: ${request.error_message ?? 'no message was kept'}`,
    ),
    ...known('Ended', request.ended_at === null ? null : <Moment seconds={request.ended_at} />),
    ...known('Cost', request.cost && toDollars(request.cost)),
    ...known('Upstream cost', request.upstream_cost && toDollars(request.upstream_cost)),
    ...known(
      'Left by its client',
      request.abandoned_cost && `${toDollars(request.abandoned_cost)} of upstream cost`,
    ),
    ...known(
      'Review',
      review && (
        <Group gap="xs">
          <Cell field="review_id" row={review} /> {review.reason.replaceAll('_', ' ')}{' '}
          <State state={review.state} />
        </Group>
      ),
    ),
  ];
}
