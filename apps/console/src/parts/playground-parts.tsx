import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { PlaygroundKey } from '../playground-key';
import { t } from '@farebox/ui/language';

/** The key that messages are sent with: the playground's own, or one that the customer has at hand. */
export function KeyChoice({
  apiKey,
  keepOwn,
}: {
  apiKey: PlaygroundKey | undefined;
  /** Null forgets it. */
  keepOwn: (secret: string | null) => void;
}) {
  const [isChoosing, setChoosing] = useState(false);
  const [text, setText] = useState('');
  if (isChoosing)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keepOwn(text);
          setChoosing(false);
          setText('');
        }}
      >
        <Stack gap="xs">
          <PasswordInput
            label={t('API key')}
            description={t('Kept in this tab until you close it')}
            placeholder="ak-…"
            autoComplete="off"
            required
            autoFocus
            value={text}
            onChange={({ currentTarget: { value } }) => setText(value.trim())}
          />
          <Group gap="xs">
            <Button type="submit" size="xs">
              {t('Use it')}
            </Button>
            <Button size="xs" variant="default" onClick={() => setChoosing(false)}>
              {t('Cancel')}
            </Button>
          </Group>
        </Stack>
      </form>
    );
  return (
    <Stack gap={2}>
      <Text size="sm" fw={500}>
        {t('API key')}
      </Text>
      <Text size="xs" c="dimmed">
        {apiKey?.isOwn
          ? t('Your own, ending in {end}. It is kept in this tab.', { end: apiKey.secret.slice(-4) })
          : t("The playground's own, which is not listed and ends when you sign out.")}
      </Text>
      <Group gap="md">
        <Anchor component="button" type="button" fz="xs" onClick={() => setChoosing(true)}>
          {t('Use another key')}
        </Anchor>
        {apiKey?.isOwn && (
          <Anchor component="button" type="button" fz="xs" onClick={() => keepOwn(null)}>
            {t('Stop using it')}
          </Anchor>
        )}
      </Group>
    </Stack>
  );
}

/** A numeric parameter; empty leaves it to the model. */
export function NumberField({
  value,
  onChange,
  ...field
}: {
  label: string;
  description?: string;
  placeholder?: string;
  min: number;
  max?: number;
  step?: number;
  value: number | string;
  onChange: (value: number | string) => void;
}) {
  return (
    <TextInput
      type="number"
      inputMode="decimal"
      value={value}
      onChange={({ currentTarget: { value: text, valueAsNumber } }) =>
        onChange(text === '' ? '' : valueAsNumber)
      }
      {...field}
    />
  );
}
