import {
  ActionIcon,
  Burger,
  Group,
  NavLink,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { type Icon, IconMoon, IconSun } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import './frame-styles';
import './frame.css';
import { t } from './language';
import { Notices } from './notices';
import { useShownRecord } from './record-title';
import { NavigationBar, StaleNotice } from './waiting';

/** An entry of the menu. */
export interface Place {
  to: string;
  name: string;
  icon: Icon;
}

/** Below the breakpoint `sm` of the menu. */
const NARROW = '(max-width: 47.99em)';

/** Whether a page belongs to a place: the first place has no others below it. */
export function isWithin(pathname: string, to: string, home: string): boolean {
  return to === home ? pathname === home : pathname === to || pathname.startsWith(`${to}/`);
}

/** The frame around every page of a console: header, menu, content. */
export function Frame({
  places,
  serviceName,
  brand,
  controls,
  menuEnd,
  children,
}: {
  /** The first one is the home page. */
  places: readonly Place[];
  /** Undefined until it is known. */
  serviceName: string | undefined;
  /** The mark and the name, in the link to the home page. */
  brand: ReactNode;
  /** At the end of the header. */
  controls: ReactNode;
  menuEnd?: ReactNode;
  children: ReactNode;
}) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const home = places[0]?.to ?? '/';
  const place = places.findLast(({ to }) => isWithin(pathname, to, home));
  const placeName = place?.name;
  const record = useShownRecord();
  const main = useRef<HTMLElement>(null);
  const isNarrow = useMediaQuery(NARROW);
  const menu = useRef<HTMLDivElement>(null);
  const burger = useRef<HTMLButtonElement>(null);
  const shownPath = useRef(pathname);
  useEffect(() => {
    document.title = [record, placeName, serviceName].filter(Boolean).join(' · ');
  }, [record, placeName, serviceName]);
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
            <Link to={home} className="brand">
              {brand}
            </Link>
          </Group>
          <Group gap={6} wrap="nowrap">
            {controls}
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
          {places.map(({ to, name, icon: PlaceIcon }) => (
            <NavLink
              key={to}
              className="place"
              renderRoot={(props) => <Link to={to} {...props} />}
              label={name}
              leftSection={<PlaceIcon size={18} stroke={1.6} aria-hidden />}
              active={place?.to === to}
              aria-current={place?.to === to ? 'page' : undefined}
            />
          ))}
        </div>
        {menuEnd && <div>{menuEnd}</div>}
      </nav>
      <main id="main" tabIndex={-1} ref={main} className="frame-main" aria-label={placeName}>
        <div className="page">
          <StaleNotice />
          {children}
        </div>
      </main>
      <Notices />
    </div>
  );
}

export function SchemeSwitch() {
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
