import type { PlainText } from '@farebox/texts';
import { FareboxError, UnexpectedAnswerError, type FareboxErrorCode } from '@farebox/client';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { createContext, lazy, type ReactNode, Suspense, use } from 'react';
import { t } from './language';

/** The heading for an error code on a page. The service's own message is shown below it. */
export const TITLES: Record<FareboxErrorCode, PlainText> = {
  invalid_request_error: 'The request is not valid',
  authentication_error: 'You are signed out',
  invalid_api_key: 'This API key is unknown',
  expired_api_key: 'This API key has expired',
  insufficient_funds: 'Your balance does not cover it',
  beta_access_required: 'Your account has no access',
  model_not_allowed: 'This API key may not use the model',
  model_not_found: 'There is no such model',
  api_key_not_found: 'There is no such API key',
  idempotency_conflict: 'This was sent before with different content',
  idempotency_in_progress: 'This is still running',
  api_key_revoked: 'The API key is revoked',
  request_too_large: 'This is too large',
  rate_limit_error: 'Too many requests',
  spending_limit_exceeded: 'The spending limit is reached',
  internal_error: 'The service failed',
  billing_error: 'The charge was not recorded',
  service_unavailable: 'The service is not available at the moment',
  upstream_timeout: 'The model took too long',
};

const NOT_FOUND = 404;

/** A console's own words for an error of its service: another heading, and offers before and after trying again. */
export const ErrorOffers = createContext<{
  titleOf?: (refusal: FareboxError) => string | undefined;
  remedy?: (refusal: FareboxError) => ReactNode;
  meaning?: (refusal: FareboxError) => ReactNode;
}>({});

/** An error in words, with the request id to quote, and a retry button if that may help. */
export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  const refusal = error instanceof FareboxError ? error : undefined;
  const offers = use(ErrorOffers);
  const title =
    (refusal && offers.titleOf?.(refusal)) ??
    t(
      refusal
        ? refusal.status === NOT_FOUND && refusal.code === 'invalid_request_error'
          ? 'Not found'
          : TITLES[refusal.code]
        : 'The service could not be reached',
    );
  const text =
    refusal?.message ??
    (error instanceof UnexpectedAnswerError
      ? t('Something between you and the service responded instead.')
      : t('Check your connection, then try again.'));
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {/* The service speaks English. */}
        <Text fz="sm" {...(refusal && { lang: 'en' })}>
          {text}
        </Text>
        {refusal?.requestId && (
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              {t('Request id')}
            </Text>
            <Suspense fallback={<PlainText text={refusal.requestId} />}>
              <CopyableText text={refusal.requestId} label={t('Copy the request id')} />
            </Suspense>
          </Group>
        )}
        <Group gap="md">
          {refusal && offers.remedy?.(refusal)}
          {retry && (!refusal || refusal.shouldRetry) && (
            <Button size="xs" variant="default" onClick={retry}>
              {t('Try again')}
            </Button>
          )}
          {refusal && offers.meaning?.(refusal)}
        </Group>
      </Stack>
    </Alert>
  );
}

const PlainText = ({ text }: { text: string; label?: string }) => <span className="code">{text}</span>;

/** Loaded on demand, as the first page is rarely an error. */
const CopyableText = lazy(() =>
  import('./copyable').then(
    ({ CopyableText: Copyable }) => ({ default: Copyable }),
    () => ({ default: PlainText }),
  ),
);
