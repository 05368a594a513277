import { FareboxError, unwrap } from '@farebox/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { tellSignedOut } from './account-in-tabs';
import { barrierOf, client } from './api';
import { tell } from '@farebox/ui/notices';
import { forgetPlaygroundKey } from './playground-key';
import { t } from '@farebox/ui/language';

/** Ends the session, or all of them, and drops all cached data. */
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
        // A session that has already ended counts as signed out.
        if (barrierOf(error) !== 'signed_out') throw error;
      }
    },
    onSuccess: async () => {
      sessionStorage.clear();
      forgetPlaygroundKey();
      tellSignedOut();
      await navigate({ to: '/sign-in', ignoreBlocker: true });
      queryClient.clear();
    },
    onError: (error) =>
      tell({
        title: t('You are still signed in'),
        message: error instanceof FareboxError ? error.message : t('The service could not be reached.'),
        isFailure: true,
      }),
  });
  return { signOut: () => mutate(), isPending };
}
