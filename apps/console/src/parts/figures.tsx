import { Box, Group, Paper, Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

/** A number that matters, with what it is, and how much of its bound it takes. */
export function Figure({
  label,
  value,
  note,
  share,
  action,
}: {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  /** In per cent of a bound. */
  share?: number | undefined;
  action?: ReactNode;
}) {
  return (
    <Paper p="md">
      <Stack gap={8} h="100%">
        <Group justify="space-between" wrap="nowrap" h={20}>
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          {action}
        </Group>
        <Text fz="1.625rem" fw={600} lh={1.15} className="figures">
          {value}
        </Text>
        {share !== undefined && (
          <Progress
            value={share}
            color={share >= 90 ? 'red' : share >= 70 ? 'yellow' : 'accent'}
            size={5}
            aria-label={`${label}: ${Math.round(share).toString()} per cent used`}
          />
        )}
        {note && (
          <Text size="xs" c="dimmed" component="div">
            {note}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

export const FigureSkeleton = () => <Skeleton height={122} radius="lg" />;

/** A part of a page with its heading, and what can be done to it. */
export function Card({
  title,
  note,
  actions,
  flush = false,
  children,
}: {
  title?: string;
  note?: ReactNode;
  actions?: ReactNode;
  /** For tables, which reach the edges. */
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <Paper component="section" {...(title ? { 'aria-label': title } : {})}>
      {(title ?? actions) && (
        <Group justify="space-between" px={20} pt="md" pb={flush ? 'xs' : 0} gap="sm">
          <Box>
            {title && <Title order={2}>{title}</Title>}
            {note && (
              <Text size="sm" c="dimmed">
                {note}
              </Text>
            )}
          </Box>
          {actions && <Group gap="sm">{actions}</Group>}
        </Group>
      )}
      <Box {...(flush ? { className: 'flush', pt: title ? 0 : 4, pb: 4 } : { px: 20, py: 'md' })}>
        {children}
      </Box>
    </Paper>
  );
}

/** Names and values of one record. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Box component="dl" className="facts" fz="sm">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </Box>
  );
}
