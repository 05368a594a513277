import { Frame, SchemeSwitch, type Place } from '@farebox/ui/frame';
import { tell } from '@farebox/ui/notices';
import { PersonMenu } from '@farebox/ui/person-menu';
import { Loaded } from '@farebox/ui/states';
import { Badge } from '@mantine/core';
import {
  IconAdjustments,
  IconChecklist,
  IconCube,
  IconHistory,
  IconLogout,
  IconReceipt,
  IconSettings,
  IconStack2,
  IconSunHigh,
  IconUsers,
} from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { meQuery, signOut } from '../api';
import { BRAND } from '../brand';

const PLACES: readonly Place[] = [
  { to: '/', name: 'Today', icon: IconSunHigh },
  { to: '/customers', name: 'Customers', icon: IconUsers },
  { to: '/requests', name: 'Requests', icon: IconReceipt },
  { to: '/models', name: 'Models and upstreams', icon: IconCube },
  { to: '/reviews', name: 'Reviews', icon: IconChecklist },
  { to: '/limits', name: 'Limits', icon: IconAdjustments },
  { to: '/jobs', name: 'Jobs', icon: IconStack2 },
  { to: '/log', name: 'Log', icon: IconHistory },
  { to: '/settings', name: 'Settings', icon: IconSettings },
];

/** The frame around every page. */
export function Shell() {
  const me = useQuery(meQuery);
  return (
    <Frame
      places={PLACES}
      serviceName={`Operate ${BRAND.name}`}
      brand={
        <>
          <span className="brand-mark" style={{ height: 24, width: 24 }} aria-hidden>
            {String.fromCodePoint(BRAND.name.codePointAt(0) ?? 0x20)}
          </span>
          <span>{BRAND.name}</span>
        </>
      }
      controls={
        <>
          {me.data && <Badge color="gray">{me.data.role}</Badge>}
          <SchemeSwitch />
          <Person address={me.data?.operator} />
        </>
      }
    >
      {/* Without it, no page knows what it may offer. */}
      <Loaded query={me}>{() => <Outlet />}</Loaded>
    </Frame>
  );
}

function Person({ address }: { address: string | undefined }) {
  const leaving = useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      window.location.assign('/operator');
    },
    onError: ({ message }) => tell({ title: 'You are still signed in', message, isFailure: true }),
  });
  return (
    <PersonMenu label="Your session" address={address}>
      <button type="button" className="place" onClick={() => leaving.mutate()}>
        <IconLogout size={16} aria-hidden />
        Sign out
      </button>
    </PersonMenu>
  );
}
