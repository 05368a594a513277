import { ActionIcon } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';

const ID = 'account-menu';

/** The person who has signed in, and their menu. The browser's own popover: the library's menu is much larger. */
export function PersonMenu({
  label,
  address,
  children,
}: {
  label: string;
  /** Undefined until it is known. */
  address: string | undefined;
  /** Elements of the class `place`. */
  children: ReactNode;
}) {
  return (
    <>
      <ActionIcon size="lg" aria-label={label} popoverTarget={ID}>
        <IconUser size={18} aria-hidden />
      </ActionIcon>
      <div
        id={ID}
        popover="auto"
        role="group"
        aria-label={label}
        className="account-menu"
        onClick={({ currentTarget }) => currentTarget.hidePopover()}
      >
        {address !== undefined && <div className="account-menu-address">{address}</div>}
        {children}
      </div>
    </>
  );
}
