import { save } from '@farebox/ui/save-file';
import { tell } from '@farebox/ui/notices';
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { readCsv, type Given } from '../api';

/** Saves a report as a table for a spreadsheet. */
export function CsvButton({ verb, given, label }: { verb: string; given: Given; label: string }) {
  const saving = useMutation({
    mutationFn: () => readCsv(verb, given),
    onSuccess: (text) => save(new File([text], `${verb.replace(' ', '-')}.csv`, { type: 'text/csv' })),
    onError: ({ message }) => tell({ title: 'It was not saved', message, isFailure: true }),
  });
  return (
    <Button
      size="xs"
      variant="subtle"
      color="gray"
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={saving.isPending}
      aria-label={label}
      onClick={() => saving.mutate()}
    >
      CSV
    </Button>
  );
}
