import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { accountQuery, balanceQuery, serviceQuery } from './api';
import { asActivityFilter, asBillingSearch, asOwnPath, asUsageSearch } from './search-params';
import { loading } from '@farebox/ui/page-file';
import { FailedPage } from '@farebox/ui/failed-page';

/** Errors of prefetching are shown by the component that fetches the data again. */
const shownByThePage = () => undefined;

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  loader: ({ context }) => void context.queryClient.query(serviceQuery).catch(shownByThePage),
});

/** Every page that needs a session is in the shell. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: lazyRouteComponent(
    loading(() => import('./parts/shell')),
    'Shell',
  ),
  loader: ({ context }) => {
    void context.queryClient.query(accountQuery).catch(shownByThePage);
    void context.queryClient.query(balanceQuery).catch(shownByThePage);
  },
});

const page = <Path extends string>(path: Path, load: () => Promise<{ Page: () => React.ReactNode }>) =>
  createRoute({
    getParentRoute: () => shellRoute,
    path,
    component: lazyRouteComponent(loading(load), 'Page'),
  });

const pageRoutes = [
  page('/', () => import('./pages/home')),
  page('/keys', () => import('./pages/api-keys')),
  page('/keys/$keyPublicId', () => import('./pages/api-key')),
  page('/playground', () => import('./pages/playground')),
  page('/models', () => import('./pages/models')),
  page('/activity/$requestId', () => import('./pages/request')),
  page('/billing/invoices/$number', () => import('./pages/invoice')),
  page('/limits', () => import('./pages/limits')),
  page('/devices', () => import('./pages/devices')),
  page('/security', () => import('./pages/security')),
  page('/webhooks', () => import('./pages/webhooks')),
  page('/webhooks/$webhookId', () => import('./pages/webhook')),
  page('/settings', () => import('./pages/settings')),
  page('/$', () => import('./pages/not-found')),
] as const;

// The selection on these pages is part of their address, so that it can be shared.
const activityRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/activity',
  validateSearch: asActivityFilter,
  component: lazyRouteComponent(
    loading(() => import('./pages/activity')),
    'Page',
  ),
});

const usageRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/usage',
  validateSearch: asUsageSearch,
  component: lazyRouteComponent(
    loading(() => import('./pages/usage')),
    'Page',
  ),
});

const billingRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/billing',
  // The return address of the payment provider.
  validateSearch: asBillingSearch,
  component: lazyRouteComponent(
    loading(() => import('./pages/billing')),
    'Page',
  ),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { from?: string | undefined } => ({
    from: asOwnPath(search['from']),
  }),
  component: lazyRouteComponent(
    loading(() => import('./pages/sign-in')),
    'Page',
  ),
});

const noAccessRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/no-access',
  component: lazyRouteComponent(
    loading(() => import('./pages/no-access')),
    'Page',
  ),
});

const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify',
  component: lazyRouteComponent(
    loading(() => import('./pages/verify')),
    'Page',
  ),
});

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: rootRoute.addChildren([
      shellRoute.addChildren([...pageRoutes, activityRoute, usageRoute, billingRoute]),
      signInRoute,
      noAccessRoute,
      verifyRoute,
    ]),
    context: { queryClient },
    defaultPreload: 'intent',
    defaultErrorComponent: FailedPage,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
