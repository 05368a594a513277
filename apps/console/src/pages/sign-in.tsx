import { unwrap } from '@farebox/client';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { accountQuery, barrierOf, client } from '../api';
import { ErrorNotice } from '@farebox/ui/errors';
import { OutsidePage } from '../parts/outside-page';
import { keepReturnAddress } from '../search-params';
import { rich, t } from '@farebox/ui/language';

/** A single field: the link comes by mail, and leads back to where the person was. */
export function Page() {
  const { from } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  /** In seconds, of the link that is on its way. */
  const [lifetime, setLifetime] = useState<number>();
  const ask = useMutation({
    mutationFn: (address: string) => unwrap(client.POST('/auth/links', { body: { email: address } })),
    onSuccess: ({ expires_in }) => setLifetime(expires_in),
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

  if (lifetime !== undefined)
    return (
      <OutsidePage title={t('Check your mail')}>
        <Text>
          {rich(
            'If {address} has an account here, a link and a code are on their way. They work once, for {minutes} minutes.',
            { address: <strong>{email}</strong>, minutes: Math.round(lifetime / 60) },
          )}
        </Text>
        <CodeForm email={email.trim()} />
        {ask.error && <ErrorNotice error={ask.error} />}
        <Text size="sm" c="dimmed">
          {t('Nothing there after a minute? Check your spam folder, or send it again.')}
        </Text>
        <Group gap="sm">
          <Button variant="default" onClick={() => ask.mutate(email.trim())} loading={ask.isPending}>
            {t('Send it again')}
          </Button>
          <Button variant="default" onClick={() => setLifetime(undefined)}>
            {t('Use another address')}
          </Button>
        </Group>
      </OutsidePage>
    );
  return (
    <OutsidePage title={t('Sign in')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (from) keepReturnAddress(from);
          ask.mutate(email.trim());
        }}
      >
        <Stack>
          {from && (
            <Text c="dimmed">{t('Your session has ended. Sign in again to continue where you were.')}</Text>
          )}
          {ask.error && <ErrorNotice error={ask.error} />}
          {/* Not the library's, which is large: this page is the first that everybody loads. */}
          <label className="field">
            {t('E-mail')}
            <input
              type="email"
              autoComplete="email"
              placeholder="you@example.com"
              required
              autoFocus
              value={email}
              onChange={({ currentTarget: { value } }) => setEmail(value)}
            />
          </label>
          <Button type="submit" loading={ask.isPending} fullWidth>
            {t('Send me a link')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('No password: you sign in with a link that comes by mail.')}
          </Text>
        </Stack>
      </form>
    </OutsidePage>
  );
}

/** For a mail that is read on another machine. */
function CodeForm({ email }: { email: string }) {
  const queryClient = useQueryClient();
  const [code, setCode] = useState('');
  const signIn = useMutation({
    mutationFn: () => unwrap(client.POST('/auth/codes', { body: { email, code } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: accountQuery.queryKey }),
  });
  const wrong = barrierOf(signIn.error) === 'signed_out' ? signIn.error?.message : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <Stack gap="sm">
        {signIn.error && !wrong && <ErrorNotice error={signIn.error} />}
        <label className="field">
          {t('Code from the mail')}
          <input
            className="code"
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            placeholder="K7QM-2XRT"
            maxLength={20}
            required
            aria-invalid={wrong !== undefined}
            aria-describedby="code-fault"
            value={code}
            onChange={({ currentTarget: { value } }) => setCode(value)}
          />
        </label>
        <Text id="code-fault" role="alert" size="sm" c="red" lang="en">
          {wrong}
        </Text>
        <Button type="submit" loading={signIn.isPending || signIn.isSuccess} fullWidth>
          {t('Sign in')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('Type it only here. The link in the mail signs in the device that opens it.')}
        </Text>
      </Stack>
    </form>
  );
}
