import { unwrap } from '@farebox/client';
import {
  ActionIcon,
  Alert,
  Anchor,
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
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
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { tellSignedOut, useSameAccount } from '../account-in-tabs';
import { accountQuery, balanceQuery, barrierOf, client, serviceQuery } from '../api';
import { toNano, toShortDollars } from '../format';
import { revokePlaygroundKeys } from '../playground-key';
import { AddFundsButton } from './states';

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
  useSameAccount(useQuery(accountQuery).data?.account_id);
  const place = PLACES.findLast(({ to }) => isWithin(pathname, to));
  const main = useRef<HTMLElement>(null);
  const isNarrow = useMediaQuery(NARROW);
  const menu = useRef<HTMLDivElement>(null);
  const burger = useRef<HTMLButtonElement>(null);
  const shownPath = useRef(pathname);
  useEffect(() => {
    document.title = [place?.name, service?.name].filter(Boolean).join(' · ');
  }, [place, service]);
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
    <AppShell
      onKeyDown={({ key }) => {
        if (!isOpen || key !== 'Escape') return;
        close();
        burger.current?.focus();
      }}
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              ref={burger}
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
              aria-expanded={isOpen}
            />
            <Link to="/" className="brand">
              <img src={service?.logo_url ?? '/console/icon.svg'} alt="" height={24} />
              {service?.name}
            </Link>
          </Group>
          <Group gap={6} wrap="nowrap">
            <BalanceLink />
            <SchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="sm"
        aria-label="Pages"
        ref={menu}
        // Closed, it is beside a small screen: the Tab key must not lead there.
        inert={isNarrow && !isOpen}
      >
        <AppShell.Section grow component={ScrollArea} type="auto">
          {PLACES.map(({ to, name, icon: Icon }) => (
            <NavLink
              key={to}
              className="place"
              renderRoot={(props) => <Link to={to} {...props} />}
              label={name}
              leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
              active={place?.to === to}
              aria-current={place?.to === to ? 'page' : undefined}
            />
          ))}
        </AppShell.Section>
        <AppShell.Section>
          <NavLink
            className="place"
            href="/docs"
            label="API reference"
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
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} ref={main} className="frame-main" aria-label={place?.name}>
        <div className="page">
          <EmptyBalance />
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
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
      aria-label={`${toShortDollars(available)} available. Go to billing`}
    >
      {toShortDollars(available)}
    </Button>
  );
}

/** Says on every page that nothing can run, except on that which is about money. */
function EmptyBalance() {
  const available = useQuery(balanceQuery).data?.available;
  const { pathname } = useLocation();
  if (available === undefined || toNano(available) > 0n || isWithin(pathname, '/billing')) return null;
  return (
    <Alert color="yellow" mb="lg" title="Your balance is empty" role="status" className="not-printed">
      <Group justify="space-between" gap="sm">
        <Text fz="sm">Models answer again as soon as you add funds.</Text>
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
      aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  );
}

function AccountMenu() {
  const account = useQuery(accountQuery).data;
  const { signOut } = useSignOut();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon size="lg" aria-label="Your account">
          <IconUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {/* A label of the library takes the focus, which only items of a menu may. */}
        {account && (
          <Text size="xs" c="dimmed" px="sm" py={5} style={{ overflowWrap: 'anywhere' }}>
            {account.email}
          </Text>
        )}
        <Menu.Item
          renderRoot={(props: object) => <Link to="/settings" {...props} />}
          leftSection={<IconSettings size={16} aria-hidden />}
        >
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Ends the session, or all of them, and drops all cached data. */
export function useSignOut(which: 'this' | 'all' = 'this') {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      // Only a session can revoke them.
      await revokePlaygroundKeys();
      try {
        await unwrap<unknown>(
          which === 'all' ? client.DELETE('/auth/sessions') : client.DELETE('/auth/session'),
        );
      } catch (error) {
        // A session that has already ended counts as signed out.
        if (barrierOf(error) !== 'signed_out') throw error;
      }
    },
    onSuccess: async () => {
      sessionStorage.clear();
      tellSignedOut();
      await navigate({ to: '/sign-in', ignoreBlocker: true });
      queryClient.clear();
    },
    onError: (error) =>
      notifications.show({ color: 'red', title: 'You are still signed in', message: error.message }),
  });
  return { signOut: () => mutate(), isPending };
}
