import { Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';

/** A dialog that is open as long as it is rendered, and gives the focus back to the control that opened it. */
export function Dialog({
  title,
  close,
  isHeld = false,
  children,
}: {
  title: ReactNode;
  close: () => void;
  /** Only its own buttons close it: its content is not shown again. */
  isHeld?: boolean;
  children: ReactNode;
}) {
  useFocusGivenBack();
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      withCloseButton={!isHeld}
      closeOnEscape={!isHeld}
      closeOnClickOutside={!isHeld}
    >
      {children}
    </Modal>
  );
}

function useFocusGivenBack(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const target = opener?.isConnected ? opener : document.getElementById('main');
      // The dialog keeps the focus to itself until it has gone.
      setTimeout(() => {
        if (target instanceof HTMLElement) target.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}
