import '@farebox/ui/mantine-styles';
import '@farebox/ui/styles.css';
import { ErrorOffers } from '@farebox/ui/errors';
import { cssVariables, themeIn } from '@farebox/ui/theme';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient, isSignedOut } from './api';
import { BRAND } from './brand';
import { ERROR_OFFERS } from './parts/error-offers';
import { createConsoleRouter } from './router';
import { returnAfterSignIn, leaveForSignIn } from './sign-in';

/** By which the content security policy allows the libraries' style elements. */
const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
setNonce(styleNonce);
returnAfterSignIn();

const queryClient = createQueryClient();
// The session may end at any moment, and the service's own page says how to sign in again.
const onEvent = ({ type, error }: { type: string; error: unknown }): void => {
  if (type === 'updated' && isSignedOut(error)) leaveForSignIn();
};
queryClient.getQueryCache().subscribe(({ type, query }) => {
  onEvent({ type, error: query.state.error });
});
queryClient.getMutationCache().subscribe(({ type, mutation }) => {
  onEvent({ type, error: mutation?.state.error });
});
const router = createConsoleRouter(queryClient);

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={themeIn(BRAND.color)}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => styleNonce}
      >
        <ErrorOffers value={ERROR_OFFERS}>
          <RouterProvider router={router} />
        </ErrorOffers>
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);

// The page is readable before its font has loaded.
void import('@farebox/ui/font').catch(() => undefined);
