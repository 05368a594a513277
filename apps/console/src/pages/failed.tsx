import { Box, Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorNotice } from '../parts/errors';

/** Replaces a page that failed to render, or whose code could not be loaded. */
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
