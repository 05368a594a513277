import { unwrap } from '@farebox/client';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { barrierOf, client } from './api';

/** Ends the session, or all of them, and drops all that the page has read with it. */
export function useSignOut(which: 'this' | 'all' = 'this') {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      try {
        await unwrap<unknown>(
          which === 'all' ? client.DELETE('/auth/sessions') : client.DELETE('/auth/session'),
        );
      } catch (error) {
        // Signed out is signed out, also if the session had ended before.
        if (barrierOf(error) !== 'signed_out') throw error;
      }
    },
    onSuccess: async () => {
      sessionStorage.clear();
      await navigate({ to: '/sign-in' });
      queryClient.clear();
    },
    onError: (error) =>
      notifications.show({ color: 'red', title: 'You are still signed in', message: error.message }),
  });
  return { signOut: () => mutate(), isPending };
}
