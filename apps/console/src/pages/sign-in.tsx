import { unwrap } from '@farebox/client';
import { Anchor, Button, Center, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { accountQuery, client, serviceQuery } from '../api';
import { ErrorNotice } from '../parts/states';
import { keepReturnAddress } from '../search-params';
import { useSignOut } from '../parts/shell';

/** A single field: the link comes by mail, and leads back to where the person was. */
export function SignInPage() {
  const { from } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  const ask = useMutation({
    mutationFn: (address: string) => unwrap(client.POST('/auth/links', { body: { email: address } })),
  });
  // The link opens in its own tab; this one continues when it gets the focus. Cached account data does not
  // prove that somebody is signed in: they may just have signed out.
  const { isSuccess, isFetchedAfterMount } = useQuery({
    ...accountQuery,
    retry: false,
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  });
  const isSignedIn = isSuccess && isFetchedAfterMount;
  useEffect(() => {
    if (isSignedIn) void navigate({ href: from ?? '/', replace: true });
  }, [isSignedIn, navigate, from]);

  if (ask.data)
    return (
      <OutsidePage title="Check your mail">
        <Text>
          If <strong>{email}</strong> has an account here, a link is on its way. It works once, for{' '}
          {Math.round(ask.data.expires_in / 60).toString()} minutes.
        </Text>
        <Button variant="default" onClick={() => ask.reset()}>
          Use another address
        </Button>
      </OutsidePage>
    );
  return (
    <OutsidePage title="Sign in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (from) keepReturnAddress(from);
          ask.mutate(email.trim());
        }}
      >
        <Stack>
          {from && <Text c="dimmed">Your session has ended. Sign in again to continue where you were.</Text>}
          {ask.error && <ErrorNotice error={ask.error} />}
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="email"
            placeholder="you@example.com"
            required
            autoFocus
            value={email}
            onChange={({ currentTarget: { value } }) => setEmail(value)}
          />
          <Button type="submit" loading={ask.isPending} fullWidth>
            Send me a link
          </Button>
          <Text size="sm" c="dimmed">
            No password: you sign in with a link that comes by mail.
          </Text>
        </Stack>
      </form>
    </OutsidePage>
  );
}

/** The page of an account without access, with the support address. */
export function NoAccessPage() {
  const service = useQuery(serviceQuery).data;
  const { signOut, isPending } = useSignOut();
  return (
    <OutsidePage title="Your account has no access now">
      <Text>
        It is suspended, or its invitation has not been accepted yet. Your balance and your API keys are kept.
      </Text>
      <Text>
        {service?.support_email ? (
          <>
            To get access again, write to{' '}
            <Anchor href={`mailto:${service.support_email}`}>{service.support_email}</Anchor>.
          </>
        ) : (
          'To get access again, ask the person who invited you.'
        )}
      </Text>
      <Group gap="sm">
        <Button variant="default" renderRoot={(props: object) => <Link to="/" {...props} />}>
          Try again
        </Button>
        <Button variant="subtle" onClick={signOut} loading={isPending}>
          Sign out
        </Button>
      </Group>
    </OutsidePage>
  );
}

function OutsidePage({ title, children }: { title: string; children: ReactNode }) {
  const service = useQuery(serviceQuery).data;
  useEffect(() => {
    document.title = [title, service?.name].filter(Boolean).join(' · ');
  }, [title, service]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg">
        <Group gap="sm" justify="center" fw={600} fz="lg" h={32}>
          <img src={service?.logo_url ?? '/console/icon.svg'} alt="" height={28} />
          {service?.name}
        </Group>
        <Paper p="xl">
          <Stack>
            <Title order={1}>{title}</Title>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
