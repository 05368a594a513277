import { Anchor, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { serviceQuery } from '../api';
import { Notices } from '@farebox/ui/notices';
import { OutsidePage } from '../parts/outside-page';
import { useSignOut } from '../sign-out';
import { rich, t } from '@farebox/ui/language';

/** The page of an account without access, with the support address. */
export function Page() {
  const service = useQuery(serviceQuery).data;
  const { signOut, isPending } = useSignOut();
  return (
    <OutsidePage title={t('Your account has no access at the moment')}>
      <Text>
        {t(
          'It is suspended, or its invitation has not been accepted yet. Your balance and your API keys are kept.',
        )}
      </Text>
      <Text>
        {service?.support_email
          ? rich('To get access again, write to {address}.', {
              address: <Anchor href={`mailto:${service.support_email}`}>{service.support_email}</Anchor>,
            })
          : t('To get access again, ask the person who invited you.')}
      </Text>
      <Group gap="sm">
        <Button variant="default" renderRoot={(props: object) => <Link to="/" {...props} />}>
          {t('Try again')}
        </Button>
        <Button variant="subtle" onClick={signOut} loading={isPending}>
          {t('Sign out')}
        </Button>
      </Group>
      <Notices />
    </OutsidePage>
  );
}
