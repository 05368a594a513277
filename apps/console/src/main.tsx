import '@farebox/ui/mantine-styles';
import '@farebox/ui/styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { Fragment, StrictMode, useMemo, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient, serviceQuery } from './api';
import { takeReturnAddress } from './search-params';
import { ERROR_OFFERS } from './parts/error-offers';
import { ErrorOffers } from '@farebox/ui/errors';
import { createConsoleRouter } from './router';
import { startLanguage, useLanguage } from '@farebox/ui/language';
import { cssVariables, themeIn } from '@farebox/ui/theme';

/**
 * The nonce by which the content security policy allows the libraries' style elements; the service puts it
 * into the page.
 */
const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
setNonce(styleNonce);

// A sign-in ends on the home page, from which a person returns to where they were before.
const returnAddress = window.location.pathname === '/' ? takeReturnAddress() : undefined;
if (returnAddress) window.history.replaceState(null, '', returnAddress);

const queryClient = createQueryClient((barrier) => {
  const { pathname, href } = router.state.location;
  if (barrier === 'no_access') void router.navigate({ to: '/no-access', replace: true, ignoreBlocker: true });
  else if (pathname !== '/sign-in')
    void router.navigate({
      to: '/sign-in',
      search: { from: pathname === '/' || pathname === '/no-access' ? undefined : href },
      replace: true,
      // The session is gone, whatever is under way.
      ignoreBlocker: true,
    });
});
const router = createConsoleRouter(queryClient);

/** Renders everything again in another language. */
function InLanguage({ children }: { children: ReactNode }) {
  return <Fragment key={useLanguage()}>{children}</Fragment>;
}

/** Applies the operator's colour once it is known. */
function Themed({ children }: { children: ReactNode }) {
  const accentColor = useQuery(serviceQuery).data?.accent_color;
  const theme = useMemo(() => themeIn(accentColor), [accentColor]);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      {children}
    </MantineProvider>
  );
}

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element #root');
void startLanguage().then(() => {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <InLanguage>
          <Themed>
            <ErrorOffers value={ERROR_OFFERS}>
              <RouterProvider router={router} />
            </ErrorOffers>
          </Themed>
        </InLanguage>
      </QueryClientProvider>
    </StrictMode>,
  );
});

// The page is readable before its font has loaded, which is a fifth of its size.
void import('@farebox/ui/font').catch(() => undefined);
