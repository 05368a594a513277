import { Button, Checkbox, FileButton, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { Parameter } from '../api';
import { wordsOf, type Entries } from '../verb-fields';

/** A field for each parameter, by its kind. `refused`: the one that the service refused, and why. */
export function VerbFields({
  fields,
  entries,
  change,
  refused,
}: {
  fields: readonly Parameter[];
  entries: Entries;
  change: (name: string, entry: string | boolean) => void;
  refused: { name: string | null; message: string } | undefined;
}) {
  return (
    <>
      {fields.map((field, i) => (
        <Field
          key={field.name}
          field={field}
          isFirst={i === 0}
          entry={entries[field.name] ?? ''}
          change={(entry) => change(field.name, entry)}
          fault={refused?.name === field.name ? refused.message : undefined}
        />
      ))}
    </>
  );
}

function Field({
  field,
  isFirst,
  entry,
  change,
  fault,
}: {
  field: Parameter;
  /** Has the focus when the dialog opens. */
  isFirst: boolean;
  entry: string | boolean;
  change: (entry: string | boolean) => void;
  fault: string | undefined;
}) {
  const { choices, kind, required } = field;
  const shown = {
    ...wordsOf(field),
    ...{ error: fault, required, withAsterisk: required },
    ...(isFirst && { 'data-autofocus': true }),
  };
  const text = typeof entry === 'string' ? entry : '';
  if (kind === 'flag')
    return (
      <Checkbox
        label={shown.label}
        description={shown.description}
        error={fault}
        checked={entry === true}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
    );
  if (choices)
    return (
      <Select
        {...shown}
        data={[...choices]}
        clearable={!required}
        value={text === '' ? null : text}
        onChange={(value) => change(value ?? '')}
      />
    );
  if (kind === 'file') return <FileField text={text} change={change} shown={shown} />;
  if (kind === 'texts')
    return (
      <Textarea
        {...shown}
        autosize={false}
        rows={3}
        value={text}
        onChange={(e) => change(e.currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...shown}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** The text of a file: pasted, or read from one. */
export function FileField({
  text,
  change,
  shown,
}: {
  text: string;
  change: (text: string) => void;
  shown: { label: string; description?: string; error?: string | undefined };
}) {
  return (
    <Stack gap="xs" align="flex-start">
      <Textarea
        {...shown}
        w="100%"
        rows={14}
        classNames={{ input: 'code' }}
        spellCheck={false}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <FileButton
        onChange={(file) => {
          if (file) void file.text().then(change);
        }}
      >
        {(props) => (
          <Button size="xs" variant="default" {...props}>
            Choose a file
          </Button>
        )}
      </FileButton>
    </Stack>
  );
}
