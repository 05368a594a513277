import { Anchor, Box, Button, Center, Title } from '@mantine/core';
import { IconMapPinOff } from '@tabler/icons-react';
import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { Empty, ErrorNotice } from '../parts/states';

export function NotFoundPage() {
  return (
    <Center mih="60vh" component="main">
      <Empty icon={IconMapPinOff} title={<Title order={1}>There is no such page</Title>}>
        <Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to the home page</Anchor>
      </Empty>
    </Center>
  );
}

/** In place of a page that failed while it was drawn, or whose code could not be loaded. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  return (
    <Box maw={640} mx="auto" p="md" component="main">
      <ErrorNotice error={error} retry={reset} />
      <Button mt="md" variant="default" onClick={() => window.location.reload()}>
        Reload the page
      </Button>
    </Box>
  );
}
