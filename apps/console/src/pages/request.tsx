import { Anchor, Button, Stack, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { apiKeyQuery, requestQuery, serviceQuery, type UsageRecord } from '../api';
import { toCount, toDollars, toDuration, toTime } from '../format';
import { CopyableText } from '../parts/copyable';
import { Card, Facts } from '../parts/figures';
import { Outcome, OUTCOMES } from '../parts/request-parts';
import { Loaded, PageHead, TITLES } from '../parts/states';

export function Page() {
  const { requestId } = useParams({ from: '/shell/activity/$requestId' });
  const request = useQuery(requestQuery(requestId));
  const service = useQuery(serviceQuery).data;
  return (
    <>
      <PageHead
        title={request.data?.model ?? 'Request'}
        lead={request.data && OUTCOMES[request.data.outcome].meaning}
        back={<Anchor renderRoot={(props) => <Link to="/activity" {...props} />}>Activity</Anchor>}
      >
        {request.data && (
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => window.print()}
          >
            Print
          </Button>
        )}
      </PageHead>
      <Loaded query={request}>
        {(record) => (
          <Stack gap="lg">
            <Card title="Request">
              <Facts facts={requestFacts(record)} />
            </Card>
            <Card title="Receipt" note={service && `Charged by ${service.name} from your prepaid balance`}>
              <Facts facts={receiptFacts(record)} />
            </Card>
          </Stack>
        )}
      </Loaded>
    </>
  );
}

type Fact = readonly [string, ReactNode];

function requestFacts(record: UsageRecord): readonly Fact[] {
  const { request_id, key_public_id, first_token_ms, error_code, latency_ms } = record;
  return [
    ['Outcome', <Outcome key="outcome" outcome={record.outcome} />],
    ...(error_code === null ? [] : [['Reason', <Reason key="reason" code={error_code} />] satisfies Fact]),
    ['Time', toTime(record.created_at)],
    ['API key', <KeyLink key="key" keyPublicId={key_public_id} />],
    ['Latency', toDuration(latency_ms)],
    ['Streamed', record.streamed ? 'Yes' : 'No'],
    ...(first_token_ms === null ? [] : [['First token after', toDuration(first_token_ms)] satisfies Fact]),
    ['Request id', <CopyableText key="id" text={request_id} label="Copy the request id" />],
  ];
}

function receiptFacts(record: UsageRecord): readonly Fact[] {
  return [
    ['Completion', <CopyableText key="id" text={record.id} label="Copy the id of the completion" />],
    ['Model', record.model ?? 'Unknown'],
    ['Prompt tokens', toCount(record.prompt_tokens)],
    ...kindFact('from a cache', record.cached_tokens),
    ...kindFact('into a cache', record.cache_write_tokens),
    ['Completion tokens', toCount(record.completion_tokens)],
    ...kindFact('of reasoning', record.reasoning_tokens),
    ...(record.estimated
      ? [['Counted by', "The service, with the model's tokenizer: the model reported none"] satisfies Fact]
      : []),
    [
      'Charged',
      <Text key="cost" fw={600} className="figures">
        {toDollars(record.cost)}
      </Text>,
    ],
  ];
}

/** Of the tokens of the line before, if there are any of it. */
function kindFact(name: string, tokens: number | null): readonly Fact[] {
  return tokens === null || tokens === 0 ? [] : [[`… ${name}`, toCount(tokens)]];
}

function Reason({ code }: { code: NonNullable<UsageRecord['error_code']> }) {
  return <Anchor href={`/docs/errors/${code}`}>{TITLES[code]}</Anchor>;
}

/** The key by its name, as soon as that is known. */
function KeyLink({ keyPublicId }: { keyPublicId: string }) {
  const key = useQuery(apiKeyQuery(keyPublicId)).data;
  return (
    <Anchor renderRoot={(props) => <Link to="/keys/$keyPublicId" params={{ keyPublicId }} {...props} />}>
      {key ? `${key.name} (…${key.hint})` : keyPublicId}
    </Anchor>
  );
}
