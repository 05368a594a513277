import { Anchor, Center, Title } from '@mantine/core';
import { IconMapPinOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Empty } from '@farebox/ui/states';
import { t } from '@farebox/ui/language';

export function Page() {
  return (
    <Center mih="60vh">
      <Empty icon={IconMapPinOff} title={<Title order={1}>{t('There is no such page')}</Title>}>
        <Anchor renderRoot={(props) => <Link to="/" {...props} />}>{t('Go to the home page')}</Anchor>
      </Empty>
    </Center>
  );
}
