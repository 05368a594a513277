import { Box, Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasReloaded, MissingFileError, reloadIfReachable } from './page-file';
import { ErrorNotice } from './errors';
import { t } from './language';

const stayHere = () => undefined;

/** Replaces a page that failed to render, or whose file could not be loaded; the frame stays. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  const isMissing = error instanceof MissingFileError;
  useEffect(() => {
    if (!isMissing) return undefined;
    const reload = () => void reloadIfReachable().catch(stayHere);
    // A new version has other files.
    if (!hasReloaded()) reload();
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, [isMissing]);
  return (
    <Box maw={640} mx="auto" p="md">
      <ErrorNotice error={error} retry={isMissing ? () => void reloadIfReachable().catch(stayHere) : reset} />
      {!isMissing && (
        <Button mt="md" variant="default" onClick={() => window.location.reload()}>
          {t('Reload the page')}
        </Button>
      )}
    </Box>
  );
}
