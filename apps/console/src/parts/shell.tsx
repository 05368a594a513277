import { Alert, Anchor, Button, Group, NavLink, Text } from '@mantine/core';
import {
  IconActivity,
  IconBook,
  IconChartBar,
  IconCreditCard,
  IconCube,
  IconDevices,
  IconGauge,
  IconHome,
  IconKey,
  IconLogout,
  IconMessage,
  IconSettings,
  IconShieldCheck,
  IconWebhook,
} from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useSameAccount } from '../account-in-tabs';
import { accountQuery, activityQuery, balanceQuery, serviceQuery } from '../api';
import { toNano, toShortDollars } from '@farebox/ui/format';
import { useSignOut } from '../sign-out';
import { BrandMark } from './brand-mark';
import { Frame, isWithin, SchemeSwitch } from '@farebox/ui/frame';
import { PersonMenu } from '@farebox/ui/person-menu';
import { AddFundsButton } from './error-offers';
import { t, useLanguageOf } from '@farebox/ui/language';

const PLACES = [
  { to: '/', name: 'Home', icon: IconHome },
  { to: '/keys', name: 'API keys', icon: IconKey },
  { to: '/playground', name: 'Playground', icon: IconMessage },
  { to: '/models', name: 'Models', icon: IconCube },
  { to: '/activity', name: 'Activity', icon: IconActivity },
  { to: '/usage', name: 'Usage', icon: IconChartBar },
  { to: '/limits', name: 'Limits', icon: IconGauge },
  { to: '/billing', name: 'Billing', icon: IconCreditCard },
  { to: '/devices', name: 'Devices and sessions', icon: IconDevices },
  { to: '/security', name: 'Security', icon: IconShieldCheck },
  { to: '/webhooks', name: 'Webhooks', icon: IconWebhook },
  { to: '/settings', name: 'Settings', icon: IconSettings },
] as const;

/** The frame around every page of a signed-in customer. */
export function Shell() {
  const service = useQuery(serviceQuery).data;
  const account = useQuery(accountQuery).data;
  useSameAccount(account?.account_id);
  useLanguageOf(account);
  return (
    <Frame
      places={PLACES.map((place) => ({ ...place, name: t(place.name) }))}
      serviceName={service?.name}
      brand={
        <>
          <BrandMark height={24} />
          <span>{service?.name}</span>
        </>
      }
      controls={
        <>
          <BalanceLink />
          <SchemeSwitch />
          <AccountMenu />
        </>
      }
      menuEnd={
        <>
          <NavLink
            className="place"
            href="/docs"
            label={t('API reference')}
            leftSection={<IconBook size={18} stroke={1.6} aria-hidden />}
          />
          {service?.support_email && (
            <Anchor
              href={`mailto:${service.support_email}`}
              size="xs"
              c="dimmed"
              px={10}
              py={6}
              display="block"
            >
              {service.support_email}
            </Anchor>
          )}
        </>
      }
    >
      <EmptyBalance />
      <Outlet />
    </Frame>
  );
}

/** The available balance, on every page. */
function BalanceLink() {
  const available = useQuery(balanceQuery).data?.available;
  if (available === undefined) return null;
  return (
    <Button
      renderRoot={(props: object) => <Link to="/billing" {...props} />}
      variant="default"
      size="xs"
      className="figures"
      aria-label={t('{amount} available. Go to billing', { amount: toShortDollars(available) })}
    >
      {toShortDollars(available)}
    </Button>
  );
}

/** Says on every page that nothing can run, except on that which is about money. */
function EmptyBalance() {
  const available = useQuery(balanceQuery).data?.available;
  const { pathname } = useLocation();
  const isEmpty = available !== undefined && toNano(available) <= 0n && !isWithin(pathname, '/billing', '/');
  // On Home, the steps of a new customer say it.
  const succeeded = useInfiniteQuery({
    ...activityQuery({ outcome: 'completed' }, 1),
    enabled: isEmpty && pathname === '/',
  });
  if (!isEmpty || (pathname === '/' && !succeeded.data?.pages[0]?.data.length)) return null;
  return (
    <Alert color="yellow" mb="lg" title={t('Your balance is empty')} role="status" className="not-printed">
      <Group justify="space-between" gap="sm">
        <Text fz="sm">{t('Requests are refused until you add funds.')}</Text>
        <AddFundsButton />
      </Group>
    </Alert>
  );
}

function AccountMenu() {
  const account = useQuery(accountQuery).data;
  const { signOut } = useSignOut();
  return (
    <PersonMenu label={t('Your account')} address={account?.email}>
      <Link to="/settings" className="place">
        <IconSettings size={16} aria-hidden />
        {t('Settings')}
      </Link>
      <button type="button" className="place" onClick={signOut}>
        <IconLogout size={16} aria-hidden />
        {t('Sign out')}
      </button>
    </PersonMenu>
  );
}
