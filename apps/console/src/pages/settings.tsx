import { unwrap } from '@farebox/client';
import { isLanguage, LANGUAGES } from '@farebox/texts';
import {
  Button,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  useMantineColorScheme,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery, client, type Account } from '../api';
import { toCount, toDay, toShortDollars } from '../format';
import { CopyableText } from '../parts/copyable';
import { Dialog } from '../parts/dialog';
import { tell } from '../parts/notices';
import { Question } from '../parts/question';
import { Card, Facts } from '../parts/record-table';
import { ErrorNotice } from '../parts/errors';
import { Loaded, PageHead } from '../parts/states';
import { useSignOut } from '../sign-out';
import { chooseLanguage, t } from '../language';

export function Page() {
  const account = useQuery(accountQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <PageHead title={t('Settings')} />
      <Stack gap="lg">
        <Loaded query={account}>
          {(data) => (
            <>
              <Card title={t('Account')}>
                <Facts
                  facts={[
                    ['E-mail', data.email],
                    [
                      'Account id',
                      <CopyableText key="id" text={data.account_id} label={t('Copy the account id')} />,
                    ],
                    ['Customer since', toDay(data.created_at)],
                  ]}
                />
                {/* Begins again if another tab has changed the name. */}
                <NameForm key={data.name} name={data.name ?? ''} />
              </Card>
              <Card title={t('Limits')} note={t('The operator sets them. Days and months are those of UTC.')}>
                <Facts facts={limitFacts(data)} />
              </Card>
            </>
          )}
        </Loaded>
        <Loaded query={account} skeleton={null}>
          {(data) => <LanguageChoice chosen={data.language} />}
        </Loaded>
        <Card title={t('Appearance')}>
          <SegmentedControl
            aria-label={t('Appearance')}
            value={colorScheme}
            onChange={(value) => setColorScheme(value)}
            data={[
              { value: 'auto', label: t('As the system') },
              { value: 'light', label: t('Light') },
              { value: 'dark', label: t('Dark') },
            ]}
          />
        </Card>
        <SignOutEverywhere />
      </Stack>
    </>
  );
}

function limitFacts({ caps, request_limits: each }: Account) {
  return [
    ['Spend in a day', caps.daily_spend === null ? t('No cap') : toShortDollars(caps.daily_spend)],
    ['Requests in a day', caps.daily_requests === null ? t('No cap') : toCount(caps.daily_requests)],
    [
      'Requests of a key',
      t('{count} in {seconds, plural, one {# second} other {# seconds}}', {
        ...{ count: toCount(each.requests), seconds: each.window_seconds },
      }),
    ],
    ['At once, of a key', toCount(each.concurrent)],
  ] as const;
}

function NameForm({ name }: { name: string }) {
  const queryClient = useQueryClient();
  const [wish, setWish] = useState(name);
  const save = useMutation({
    mutationFn: () => unwrap(client.PATCH('/v1/account', { body: { name: wish.trim() } })),
    onSuccess: (changed) => {
      queryClient.setQueryData(accountQuery.queryKey, changed);
      tell({ message: t('Your name is saved.') });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="sm" mt="sm">
        {save.error && <ErrorNotice error={save.error} />}
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('Name')}
            description={t('On invoices and in mails')}
            required
            maxLength={100}
            autoComplete="name"
            value={wish}
            onChange={({ currentTarget: { value } }) => setWish(value)}
          />
          <Button
            type="submit"
            variant="default"
            loading={save.isPending}
            disabled={wish.trim() === '' || wish === name}
          >
            {t('Save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const LANGUAGE_FIELD = 'language';
const AS_BROWSER = 'browser';

function LanguageChoice({ chosen }: { chosen: Account['language'] }) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (language: Account['language']) =>
      unwrap(client.PATCH('/v1/account', { body: { language } })),
    onSuccess: async (changed) => {
      queryClient.setQueryData(accountQuery.queryKey, changed);
      await chooseLanguage(changed.language);
      tell({ message: t('The language is saved.') });
      // Everything was rendered again.
      setTimeout(() => document.getElementById(LANGUAGE_FIELD)?.focus());
    },
  });
  return (
    <Card title={t('Language')} note={t('Also of the mails to you.')}>
      <Stack gap="sm">
        {save.error && <ErrorNotice error={save.error} />}
        <Select
          id={LANGUAGE_FIELD}
          aria-label={t('Language')}
          maw={260}
          allowDeselect={false}
          disabled={save.isPending}
          data={[
            { value: AS_BROWSER, label: t('As the browser') },
            ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
          ]}
          value={chosen ?? AS_BROWSER}
          onChange={(value) => save.mutate(isLanguage(value) ? value : null)}
        />
      </Stack>
    </Card>
  );
}

function SignOutEverywhere() {
  const { signOut, isPending } = useSignOut('all');
  const [isAsked, setAsked] = useState(false);
  return (
    <Card title={t('Sign out everywhere')}>
      <Text size="sm" mb="sm" c="dimmed">
        {t(
          'This ends every session of your account, including this one and those of your devices. API keys keep working.',
        )}
      </Text>
      <Button color="red" variant="light" loading={isPending} onClick={() => setAsked(true)}>
        {t('Sign out everywhere')}
      </Button>
      {isAsked && (
        <Dialog title={t('Sign out everywhere?')} close={() => setAsked(false)}>
          <Question
            text={t('You need a new link to come back.')}
            change={{ mutate: signOut, isPending, error: undefined }}
            button={t('Sign out')}
            close={() => setAsked(false)}
          />
        </Dialog>
      )}
    </Card>
  );
}
