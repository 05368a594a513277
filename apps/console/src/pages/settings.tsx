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
import { toDay } from '@farebox/ui/format';
import { CopyableText } from '@farebox/ui/copyable';
import { Dialog } from '@farebox/ui/dialog';
import { tell } from '@farebox/ui/notices';
import { Question } from '@farebox/ui/question';
import { Card, Facts } from '@farebox/ui/record-table';
import { ErrorNotice } from '@farebox/ui/errors';
import { Loaded, PageHead } from '@farebox/ui/states';
import { useSignOut } from '../sign-out';
import { chooseLanguage, t } from '@farebox/ui/language';

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
              <LanguageChoice chosen={data.language} />
            </>
          )}
        </Loaded>
        <Card title={t('Appearance')}>
          <SegmentedControl
            aria-label={t('Appearance')}
            value={colorScheme}
            onChange={(value) => setColorScheme(value)}
            data={[
              { value: 'auto', label: t('Same as the system') },
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
    <Card title={t('Language')} note={t('Used in mails to you, too.')}>
      <Stack gap="sm">
        {save.error && <ErrorNotice error={save.error} />}
        <Select
          id={LANGUAGE_FIELD}
          aria-label={t('Language')}
          maw={260}
          allowDeselect={false}
          disabled={save.isPending}
          data={[
            { value: AS_BROWSER, label: t('Same as the browser') },
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
            text={t('To come back, you need a new sign-in link.')}
            change={{ mutate: signOut, isPending, error: undefined }}
            button={t('Sign out')}
            close={() => setAsked(false)}
          />
        </Dialog>
      )}
    </Card>
  );
}
