import { unwrap } from '@farebox/client';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconCircle, IconCircleCheck, IconKey } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { apiKeysQuery, balanceQuery, client, sampleModelQuery, serviceQuery } from '../api';
import { toNano, toShortDollars } from '@farebox/ui/format';
import { completionSamples } from '../samples';
import { CodeSamples } from './code-samples';
import { CopyableText } from '@farebox/ui/copyable';
import { Card } from '@farebox/ui/record-table';
import { ErrorNotice } from '@farebox/ui/errors';
import { AddFundsButton } from './error-offers';
import { Loaded } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

const NOTE = 'Any OpenAI client works with this base URL.';

/** For a new customer: what a first request needs, and what of it there is. */
export function FirstSteps() {
  const key = useFirstKey();
  const balance = useQuery(balanceQuery);
  const available = balance.data?.available;
  const hasMoney = available !== undefined && toNano(available) > 0n;
  return (
    <Card title={t('Make your first request')} note={t(NOTE)}>
      <Stack component="ol" className="steps" align="stretch" gap="lg">
        <Step name={t('Add funds')} isDone={hasMoney}>
          <Loaded query={balance} skeleton={<Skeleton height={20} />}>
            {() =>
              hasMoney ? (
                <Text size="sm" c="dimmed">
                  {t('{amount} is available.', { amount: toShortDollars(available) })}
                </Text>
              ) : (
                <Group>
                  <AddFundsButton />
                </Group>
              )
            }
          </Loaded>
        </Step>
        <Step name={t('Create an API key')} isDone={key.hasKey === true}>
          <NewKey firstKey={key} />
        </Step>
        <Step name={t('Send a request')} isDone={false}>
          <Samples secret={key.secret} />
        </Step>
      </Stack>
    </Card>
  );
}

function Step({ name, isDone, children }: { name: string; isDone: boolean; children: ReactNode }) {
  const Icon = isDone ? IconCircleCheck : IconCircle;
  return (
    <li className="step">
      <Icon
        size={22}
        stroke={1.6}
        color={`var(--mantine-color-${isDone ? 'teal-filled' : 'dimmed'})`}
        aria-hidden
      />
      <Stack gap="xs" miw={0} align="stretch">
        <Text fw={500}>
          {name}
          {isDone && <span className="only-heard">{t(', done')}</span>}
        </Text>
        {children}
      </Stack>
    </li>
  );
}

/** A request to paste, for whoever has made one before. */
export function FirstCall() {
  const key = useFirstKey();
  return (
    <Card title={t('Make a request')} note={t(NOTE)}>
      <Stack align="stretch">
        <NewKey firstKey={key} />
        <Samples secret={key.secret} />
      </Stack>
    </Card>
  );
}

/** A key created on the spot, unless there is one. */
function useFirstKey() {
  const [secret, setSecret] = useState<string>();
  const queryClient = useQueryClient();
  const keys = useInfiniteQuery(apiKeysQuery('active'));
  const make = useMutation({
    mutationFn: () => unwrap(client.POST('/v1/api-keys', { body: { name: t('First key') } })),
    onSuccess: async ({ key }) => {
      setSecret(key);
      await queryClient.invalidateQueries({ queryKey: ['api-keys'] });
    },
  });
  const hasKey = keys.data?.pages.some((page) => page.data.length > 0);
  return { secret, hasKey, make };
}

function NewKey({ firstKey: { secret, hasKey, make } }: { firstKey: ReturnType<typeof useFirstKey> }) {
  if (secret !== undefined)
    return (
      <Stack gap={4}>
        <Text size="sm">{t('Your API key. It is shown only once, so store it safely.')}</Text>
        <CopyableText text={secret} label={t('Copy the API key')} />
      </Stack>
    );
  return (
    <>
      <Text size="sm" c="dimmed">
        {hasKey
          ? t('Put one of your API keys into the variable FAREBOX_API_KEY, then run the sample.')
          : t('Create an API key, then run the sample.')}
      </Text>
      {make.error && <ErrorNotice error={make.error} />}
      {hasKey === false && (
        <Group>
          <Button
            leftSection={<IconKey size={16} aria-hidden />}
            loading={make.isPending}
            onClick={() => make.mutate()}
          >
            {t('Create my first API key')}
          </Button>
        </Group>
      )}
    </>
  );
}

/** With the cheapest model, so that trying it costs next to nothing. */
function Samples({ secret }: { secret: string | undefined }) {
  const service = useQuery(serviceQuery);
  const sample = useQuery(sampleModelQuery);
  const model = sample.data;
  return (
    <>
      <Loaded query={service} skeleton={<Skeleton height={220} />}>
        {({ base_url }) =>
          model && <CodeSamples samples={completionSamples({ baseUrl: base_url, apiKey: secret, model })} />
        }
      </Loaded>
      {sample.error && <ErrorNotice error={sample.error} retry={() => void sample.refetch()} />}
    </>
  );
}
