import { EmptyState, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ErrorNotice } from './errors';
import { t } from './language';

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
    <Stack gap="md" aria-busy role="status" aria-label={t('Loading')}>
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
          <Text size="sm" c="dimmed" component="nav" aria-label={t('Breadcrumb')}>
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
