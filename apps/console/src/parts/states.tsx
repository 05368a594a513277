import { FareboxError, UnexpectedAnswerError, type FareboxErrorCode } from '@farebox/client';
import { Alert, Anchor, Button, EmptyState, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertCircle, type Icon } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyableText } from './copyable';

/** The heading for an error code on a page. The service's own message is shown below it. */
export const TITLES: Record<FareboxErrorCode, string> = {
  invalid_request_error: 'Something in it is not valid',
  authentication_error: 'You are signed out',
  invalid_api_key: 'This API key is unknown',
  expired_api_key: 'This API key has expired',
  insufficient_funds: 'The balance does not cover it',
  beta_access_required: 'Your account has no access',
  model_not_allowed: 'This API key may not use the model',
  model_not_found: 'There is no such model',
  api_key_not_found: 'There is no such API key',
  idempotency_conflict: 'This was sent before with other content',
  idempotency_in_progress: 'This is still running',
  api_key_revoked: 'The API key is revoked',
  request_too_large: 'Too much at once',
  rate_limit_error: 'Too many requests',
  spending_limit_exceeded: 'The spending limit is reached',
  internal_error: 'The service failed',
  billing_error: 'The charge was not recorded',
  service_unavailable: 'The service is not available now',
  upstream_timeout: 'The model took too long',
};

/** An error in words, with the request id to quote, and a retry button if that may help. */
export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  const refusal = error instanceof FareboxError ? error : undefined;
  const title = refusal ? TITLES[refusal.code] : 'The service could not be reached';
  const text =
    refusal?.message ??
    (error instanceof UnexpectedAnswerError
      ? 'Something between you and the service responded instead.'
      : 'Check your connection, then try again.');
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text fz="sm">{text}</Text>
        {refusal?.requestId && (
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              Request id
            </Text>
            <CopyableText text={refusal.requestId} label="Copy the request id" />
          </Group>
        )}
        <Group gap="md">
          {refusal?.code === 'insufficient_funds' && <AddFundsButton />}
          {retry && (!refusal || refusal.shouldRetry) && (
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          )}
          {refusal && (
            <Anchor href={`/docs/errors/${refusal.code}`} fz="sm">
              What this means
            </Anchor>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

export function AddFundsButton() {
  return (
    <Button
      size="xs"
      renderRoot={(props: object) => <Link to="/billing" search={{ add: true }} {...props} />}
    >
      Add funds
    </Button>
  );
}

/** An empty list: says what will appear, and how. */
export function Empty({
  icon: Icon,
  title,
  children,
}: {
  icon: Icon;
  title: ReactNode;
  children?: ReactNode;
}) {
  return (
    <EmptyState
      py="xl"
      px="md"
      icon={<Icon aria-hidden stroke={1.5} />}
      size="sm"
      withIndicatorBackground
      title={title}
      description={children}
    />
  );
}

/** Placeholder of a list while it loads. */
export function ListSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <Stack gap="md" aria-busy role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={20} width={`${(96 - (row % 3) * 9).toString()}%`} />
      ))}
    </Stack>
  );
}

/** Shows a query's data, its error, or a placeholder. */
export function Loaded<Data>({
  query,
  skeleton = <ListSkeleton />,
  children,
}: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown };
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorNotice error={query.error} retry={() => void query.refetch()} />;
  return <>{skeleton}</>;
}

/** A page's heading, a sentence about its purpose, and its actions. */
export function PageHead({
  title,
  lead,
  back,
  children,
}: {
  title: ReactNode;
  lead?: ReactNode;
  /** A link to the list that the page belongs to. */
  back?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="md">
      <Stack gap={4} miw={0}>
        {back && (
          <Text size="sm" c="dimmed" component="nav" aria-label="Breadcrumb">
            {back}
          </Text>
        )}
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {lead && (
          <Text c="dimmed" maw={640}>
            {lead}
          </Text>
        )}
      </Stack>
      {children && (
        <Group gap="sm" className="not-printed">
          {children}
        </Group>
      )}
    </Group>
  );
}
