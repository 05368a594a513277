import { Box, Button, type ButtonProps } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { CsvRequest, useCsvDownload } from '../download';
import { ErrorNotice } from '@farebox/ui/errors';

type CsvDownload = ReturnType<typeof useCsvDownload>;

/** Saves a table. Its error is shown by `CsvFailure`: a button has no room for it. */
export function CsvButton({
  download,
  request,
  label,
  children = 'CSV',
  ...rest
}: ButtonProps & {
  download: CsvDownload;
  request: CsvRequest;
  /** For screen readers, if there are several on a page. */
  label?: string;
}) {
  const isOwn = JSON.stringify(download.variables) === JSON.stringify(request);
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      {...rest}
      {...(label === undefined ? {} : { 'aria-label': label })}
      loading={download.isPending && isOwn}
      disabled={download.isPending && !isOwn}
      onClick={() => download.mutate(request)}
    >
      {children}
    </Button>
  );
}

/** Why the last download failed. `inset`: in a card whose content extends to its edges. */
export function CsvFailure({
  download: { error },
  inset = false,
}: {
  download: CsvDownload;
  inset?: boolean;
}) {
  if (!error) return null;
  return (
    <Box {...(inset ? { px: 20, pb: 'md' } : { mb: 'lg' })}>
      <ErrorNotice error={error} />
    </Box>
  );
}
