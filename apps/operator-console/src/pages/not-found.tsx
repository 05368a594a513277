import { Empty } from '@farebox/ui/states';
import { Anchor, Center, Title } from '@mantine/core';
import { IconMapPinOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

export function Page() {
  return (
    <Center mih="60vh">
      <Empty icon={IconMapPinOff} title={<Title order={1}>There is no such page</Title>}>
        <Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to today</Anchor>
      </Empty>
    </Center>
  );
}
