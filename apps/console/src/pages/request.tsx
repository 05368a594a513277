import type { PlainText } from '@farebox/texts';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { apiKeyQuery, receiptQuery, serviceQuery, type Receipt } from '../api';
import { nameKey, toCount, toDollars, toDuration, toTime } from '@farebox/ui/format';
import { CopyableText } from '@farebox/ui/copyable';
import { Card, Facts } from '@farebox/ui/record-table';
import { becameOf, State } from '../parts/request-parts';
import { save } from '@farebox/ui/save-file';
import { TITLES } from '@farebox/ui/errors';
import { useRecordTitle } from '@farebox/ui/record-title';
import { Loaded, PageHead } from '@farebox/ui/states';
import { TOKEN_KINDS } from '../token-kinds';
import { t } from '@farebox/ui/language';

export function Page() {
  const { requestId } = useParams({ from: '/shell/activity/$requestId' });
  const request = useQuery(receiptQuery(requestId));
  const service = useQuery(serviceQuery).data;
  useRecordTitle(request.data?.model ?? undefined);
  return (
    <>
      <PageHead
        title={request.data?.model ?? t('Request')}
        lead={request.data && t(becameOf(request.data).meaning)}
        back={<Anchor renderRoot={(props) => <Link to="/activity" {...props} />}>{t('Activity')}</Anchor>}
      >
        {request.data && (
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => window.print()}
          >
            {t('Print')}
          </Button>
        )}
      </PageHead>
      <Loaded query={request}>
        {(record) => (
          <Stack gap="lg">
            <Card title={t('Request')}>
              <Facts facts={requestFacts(record)} />
            </Card>
            {record.state !== 'refused' && record.state !== 'failed' && (
              <Card
                title={t('Receipt')}
                note={service && t('By {service}, from your prepaid balance', { service: service.name })}
              >
                <Facts facts={receiptFacts(record)} />
              </Card>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  );
}

type Fact = readonly [PlainText, ReactNode];

function requestFacts(receipt: Receipt): readonly Fact[] {
  const { request_id, key_public_id, hold, ended_at, first_token_ms, latency_ms, streamed } = receipt;
  return [
    ['Outcome', <State key="outcome" receipt={receipt} />],
    ...errorFacts(receipt),
    ...factsIf(receipt.review, ({ message }) => [
      'Review',
      <span key="review" lang="en">
        {message}
      </span>,
    ]),
    ...factsIf(hold, ({ since }) => ['Running since', toTime(since)]),
    ...factsIf(hold?.ends_by, (endsBy) => ['Ends by', toTime(endsBy)]),
    ...factsIf(ended_at, (endedAt) => ['Time', toTime(endedAt)]),
    ['API key', <KeyLink key="key" keyPublicId={key_public_id} />],
    ...factsIf(latency_ms, (ms) => ['Latency', toDuration(ms)]),
    ...factsIf(streamed, (isStreamed) => ['Streamed', isStreamed ? t('Yes') : t('No')]),
    ...factsIf(first_token_ms, (ms) => ['First token after', toDuration(ms)]),
    ['Request id', <CopyableText key="id" text={request_id} label={t('Copy the request id')} />],
  ];
}

/** The error that the client got, as it was told them. */
function errorFacts({ error_code, error_message, error_param, http_status }: Receipt): readonly Fact[] {
  return [
    ...factsIf(error_code, (code) => ['Reason', <Reason key="reason" code={code} />]),
    ...factsIf(error_message, (message) => [
      'Message',
      <span key="message" lang="en">
        {message}
      </span>,
    ]),
    ...factsIf(error_param, (param) => ['Parameter', <Code key="param" text={param} />]),
    ...factsIf(error_code, (code) => ['Code', <Code key="code" text={code} />]),
    ...factsIf(http_status, (status) => ['HTTP status', status.toString()]),
  ];
}

function Code({ text }: { text: string }) {
  return <span className="code">{text}</span>;
}

/** A fact about an optional value. */
function factsIf<Value>(value: Value | null | undefined, toFact: (value: Value) => Fact): readonly Fact[] {
  return value == null ? [] : [toFact(value)];
}

function receiptFacts(receipt: Receipt): readonly Fact[] {
  const { hold, usage, costs, state, cost, refunded, proof } = receipt;
  return [
    ['Completion', <CopyableText key="id" text={receipt.id} label={t('Copy the id of the completion')} />],
    ['Model', receipt.model ?? t('Unknown')],
    ...factsIf(costs.length === 0 ? usage : null, ({ prompt_tokens }) => [
      'Prompt tokens',
      toCount(prompt_tokens),
    ]),
    ...factsIf(costs.length === 0 ? usage : null, ({ completion_tokens }) => [
      'Completion tokens',
      toCount(completion_tokens),
    ]),
    ...costs.map((line): Fact => [KINDS[line.kind], toWords(line)]),
    ...(receipt.estimated
      ? [
          [
            'Counted by',
            t("The service, with the model's tokenizer, as the model reported none"),
          ] satisfies Fact,
        ]
      : []),
    [
      hold ? 'Held' : state === 'in_review' ? 'Reserved' : 'Charged',
      <Text key="cost" fw={600} className="figures">
        {toDollars(hold ? hold.amount : cost)}
      </Text>,
    ],
    ...(state === 'refunded' ? [['Given back', toDollars(refunded)] satisfies Fact] : []),
    ...factsIf(proof, (record) => ['Proof', <SaveProof key="proof" proof={record} />]),
  ];
}

/** Everybody can check the file on the page that the other link leads to. */
function SaveProof({ proof }: { proof: NonNullable<Receipt['proof']> }) {
  const name = `${proof.transaction_id}.json`;
  return (
    <Group gap="md">
      <Anchor component="button" type="button" onClick={() => save(new File([JSON.stringify(proof)], name))}>
        {t('Save the proof')}
      </Anchor>
      <Anchor renderRoot={(props) => <Link to="/verify" {...props} />}>{t('Check a proof')}</Anchor>
    </Group>
  );
}

type CostLine = Receipt['costs'][number];

type TokenPrice = (typeof TOKEN_KINDS)[number]['price'];
const KINDS: Readonly<Record<CostLine['kind'], PlainText>> = {
  input: 'Prompt tokens',
  output: 'Completion tokens',
  ...(Object.fromEntries(TOKEN_KINDS.map(({ price, line }) => [price, line])) as Record<
    TokenPrice,
    PlainText
  >),
  image: 'Images',
  request: 'The request itself',
  over_hold: 'Beyond what was held',
};

/** `14 at $0.15 a million: $0.0000021`. */
function toWords({ count, price, unit, cost }: CostLine): string {
  if (price === null) return toDollars(cost);
  const line = { count: toCount(count), price: toDollars(price), cost: toDollars(cost) };
  return unit === '1M tokens'
    ? t('{count} at {price} a million: {cost}', line)
    : t('{count} at {price}: {cost}', line);
}

function Reason({ code }: { code: NonNullable<Receipt['error_code']> }) {
  return <Anchor href={`/docs/errors/${code}`}>{t(TITLES[code])}</Anchor>;
}

/** The key by its name, once that is known. */
function KeyLink({ keyPublicId }: { keyPublicId: string }) {
  const key = useQuery(apiKeyQuery(keyPublicId)).data;
  return (
    <Anchor renderRoot={(props) => <Link to="/keys/$keyPublicId" params={{ keyPublicId }} {...props} />}>
      {key ? nameKey(key) : keyPublicId}
    </Anchor>
  );
}
