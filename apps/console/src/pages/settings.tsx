import { unwrap } from '@farebox/client';
import {
  Button,
  Group,
  SegmentedControl,
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

export function Page() {
  const account = useQuery(accountQuery);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <PageHead title="Settings" />
      <Stack gap="lg">
        <Loaded query={account}>
          {(data) => (
            <>
              <Card title="Account">
                <Facts
                  facts={[
                    ['E-mail', data.email],
                    [
                      'Account id',
                      <CopyableText key="id" text={data.account_id} label="Copy the account id" />,
                    ],
                    ['Customer since', toDay(data.created_at)],
                  ]}
                />
                {/* Begins again if another tab has changed the name. */}
                <NameForm key={data.name} name={data.name ?? ''} />
              </Card>
              <Card title="Limits" note="The operator sets them. Days and months are those of UTC.">
                <Facts facts={limitFacts(data)} />
              </Card>
            </>
          )}
        </Loaded>
        <Card title="Appearance">
          <SegmentedControl
            aria-label="Appearance"
            value={colorScheme}
            onChange={(value) => setColorScheme(value)}
            data={[
              { value: 'auto', label: 'As the system' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
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
    ['Spend in a day', caps.daily_spend === null ? 'No cap' : toShortDollars(caps.daily_spend)],
    ['Requests in a day', caps.daily_requests === null ? 'No cap' : toCount(caps.daily_requests)],
    ['Requests of a key', `${toCount(each.requests)} in ${toCount(each.window_seconds)} seconds`],
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
      tell({ message: 'Your name is saved.' });
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
            label="Name"
            description="On invoices and in mails"
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
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function SignOutEverywhere() {
  const { signOut, isPending } = useSignOut('all');
  const [isAsked, setAsked] = useState(false);
  return (
    <Card title="Sign out everywhere">
      <Text size="sm" mb="sm" c="dimmed">
        This ends every session of your account, including this one and those of your devices. API keys keep
        working.
      </Text>
      <Button color="red" variant="light" loading={isPending} onClick={() => setAsked(true)}>
        Sign out everywhere
      </Button>
      {isAsked && (
        <Dialog title="Sign out everywhere?" close={() => setAsked(false)}>
          <Question
            text="You need a new link to come back."
            change={{ mutate: signOut, isPending, error: undefined }}
            button="Sign out"
            close={() => setAsked(false)}
          />
        </Dialog>
      )}
    </Card>
  );
}
