import { Center, Group, Paper, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { serviceQuery } from '../api';
import { BrandMark } from './brand-mark';

/** A page outside of the frame, for somebody without a session or without access. */
export function OutsidePage({ title, children }: { title: string; children: ReactNode }) {
  const service = useQuery(serviceQuery).data;
  useEffect(() => {
    document.title = [title, service?.name].filter(Boolean).join(' · ');
  }, [title, service]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w="100%" maw={400} gap="lg">
        <Group gap="sm" justify="center" fw={600} fz="lg" h={32}>
          <BrandMark height={28} />
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
