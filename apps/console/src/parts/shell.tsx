import {
  ActionIcon,
  Alert,
  Anchor,
  Burger,
  Button,
  Group,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import {
  IconActivity,
  IconBook,
  IconChartBar,
  IconCreditCard,
  IconCube,
  IconDevices,
  IconHome,
  IconKey,
  IconLogout,
  IconMessage,
  IconMoon,
  IconSettings,
  IconShieldCheck,
  IconSun,
  IconUser,
} from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import '../frame-styles';
import '../frame.css';
import { useSameAccount } from '../account-in-tabs';
import { accountQuery, activityQuery, balanceQuery, serviceQuery } from '../api';
import { toNano, toShortDollars } from '../format';
import { useSignOut } from '../sign-out';
import { BrandMark } from './brand-mark';
import { Notices } from './notices';
import { useShownRecord } from './record-title';
import { NavigationBar, StaleNotice } from './waiting';
import { AddFundsButton } from './errors';
import { t, useLanguageOf } from '../language';

const PLACES = [
  { to: '/', name: 'Home', icon: IconHome },
  { to: '/keys', name: 'API keys', icon: IconKey },
  { to: '/playground', name: 'Playground', icon: IconMessage },
  { to: '/models', name: 'Models', icon: IconCube },
  { to: '/activity', name: 'Activity', icon: IconActivity },
  { to: '/usage', name: 'Usage', icon: IconChartBar },
  { to: '/billing', name: 'Billing', icon: IconCreditCard },
  { to: '/devices', name: 'Devices and sessions', icon: IconDevices },
  { to: '/security', name: 'Security', icon: IconShieldCheck },
  { to: '/settings', name: 'Settings', icon: IconSettings },
] as const;

/** Below the breakpoint `sm` of the menu. */
const NARROW = '(max-width: 47.99em)';

/** The frame around every page of a signed-in customer. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const service = useQuery(serviceQuery).data;
  const account = useQuery(accountQuery).data;
  useSameAccount(account?.account_id);
  useLanguageOf(account);
  const place = PLACES.findLast(({ to }) => isWithin(pathname, to));
  const placeName = place && t(place.name);
  const record = useShownRecord();
  const main = useRef<HTMLElement>(null);
  const isNarrow = useMediaQuery(NARROW);
  const menu = useRef<HTMLDivElement>(null);
  const burger = useRef<HTMLButtonElement>(null);
  const shownPath = useRef(pathname);
  useEffect(() => {
    document.title = [record, placeName, service?.name].filter(Boolean).join(' · ');
  }, [record, placeName, service]);
  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    close();
    // Users of a keyboard or a screen reader start at the new page, not at the link to it.
    main.current?.focus({ preventScroll: true });
  }, [pathname, close]);
  useEffect(() => {
    if (isOpen) menu.current?.querySelector('a')?.focus();
  }, [isOpen]);

  return (
    <div
      className="frame"
      onKeyDown={({ key }) => {
        if (!isOpen || key !== 'Escape') return;
        close();
        burger.current?.focus();
      }}
    >
      <a className="skip-link" href="#main">
        {t('Skip to the content')}
      </a>
      <NavigationBar />
      <header className="frame-header">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              ref={burger}
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? t('Close the menu') : t('Open the menu')}
              aria-expanded={isOpen}
            />
            <Link to="/" className="brand">
              <BrandMark height={24} />
              <span>{service?.name}</span>
            </Link>
          </Group>
          <Group gap={6} wrap="nowrap">
            <BalanceLink />
            <SchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </header>
      <nav
        className="frame-menu"
        data-open={isOpen || undefined}
        aria-label={t('Pages')}
        ref={menu}
        // Closed, it is beside a small screen: the Tab key must not lead there.
        inert={isNarrow && !isOpen}
      >
        <div>
          {PLACES.map(({ to, name, icon: Icon }) => (
            <NavLink
              key={to}
              className="place"
              renderRoot={(props) => <Link to={to} {...props} />}
              label={t(name)}
              leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
              active={place?.to === to}
              aria-current={place?.to === to ? 'page' : undefined}
            />
          ))}
        </div>
        <div>
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
        </div>
      </nav>
      <main id="main" tabIndex={-1} ref={main} className="frame-main" aria-label={placeName}>
        <div className="page">
          <StaleNotice />
          <EmptyBalance />
          <Outlet />
        </div>
      </main>
      <Notices />
    </div>
  );
}

function isWithin(pathname: string, to: string): boolean {
  return to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
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
  const isEmpty = available !== undefined && toNano(available) <= 0n && !isWithin(pathname, '/billing');
  // On Home, the steps of a new customer say it.
  const succeeded = useInfiniteQuery({
    ...activityQuery({ outcome: 'completed' }, 1),
    enabled: isEmpty && pathname === '/',
  });
  if (!isEmpty || (pathname === '/' && !succeeded.data?.pages[0]?.data.length)) return null;
  return (
    <Alert color="yellow" mb="lg" title={t('Your balance is empty')} role="status" className="not-printed">
      <Group justify="space-between" gap="sm">
        <Text fz="sm">{t('Models answer again as soon as you add funds.')}</Text>
        <AddFundsButton />
      </Group>
    </Alert>
  );
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      size="lg"
      className="scheme-switch"
      aria-label={isDark ? t('Use light colours') : t('Use dark colours')}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  );
}

/** The browser's own popover: the library's menu would be a tenth of the first load. */
function AccountMenu() {
  const account = useQuery(accountQuery).data;
  const { signOut } = useSignOut();
  return (
    <>
      <ActionIcon size="lg" aria-label={t('Your account')} popoverTarget={ACCOUNT_MENU}>
        <IconUser size={18} aria-hidden />
      </ActionIcon>
      <div
        id={ACCOUNT_MENU}
        popover="auto"
        role="group"
        aria-label={t('Your account')}
        className="account-menu"
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        {account && <div className="account-menu-address">{account.email}</div>}
        <Link to="/settings" className="place">
          <IconSettings size={16} aria-hidden />
          {t('Settings')}
        </Link>
        <button type="button" className="place" onClick={signOut}>
          <IconLogout size={16} aria-hidden />
          {t('Sign out')}
        </button>
      </div>
    </>
  );
}

const ACCOUNT_MENU = 'account-menu';
