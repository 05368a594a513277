import { Anchor, Box, Button, Center } from '@mantine/core';
import { IconMapPinOff } from '@tabler/icons-react';
import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { Empty, ErrorNotice } from '../parts/states';

export function NotFoundPage() {
  return (
    <Center mih="60vh">
      <Empty icon={IconMapPinOff} title="There is no such page">
        <Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to the home page</Anchor>
      </Empty>
    </Center>
  );
}

/** In place of a page that failed while it was drawn, or whose code could not be loaded. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  return (
    <Box maw={640} mx="auto" p="md">
      <ErrorNotice error={error} retry={reset} />
      <Button mt="md" variant="default" onClick={() => window.location.reload()}>
        Reload the page
      </Button>
    </Box>
  );
}
