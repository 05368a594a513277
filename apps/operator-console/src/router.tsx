import { loading } from '@farebox/ui/page-file';
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { meQuery } from './api';
import { FailedPage } from '@farebox/ui/failed-page';
import { asSearch } from './search';
import { Shell } from './parts/shell';

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Shell,
  validateSearch: asSearch,
  loader: ({ context }) => void context.queryClient.query(meQuery).catch(() => undefined),
});

const page = <Path extends string>(path: Path, load: () => Promise<{ Page: () => React.ReactNode }>) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: lazyRouteComponent(loading(load), 'Page'),
  });

const pages = [
  page('/', () => import('./pages/today')),
  page('/customers', () => import('./pages/customers')),
  page('/customers/$account', () => import('./pages/customer')),
  page('/requests', () => import('./pages/requests')),
  page('/requests/$request', () => import('./pages/request')),
  page('/models', () => import('./pages/models')),
  page('/reviews', () => import('./pages/reviews')),
  page('/reviews/$review', () => import('./pages/review')),
  page('/limits', () => import('./pages/limits')),
  page('/jobs', () => import('./pages/jobs')),
  page('/log', () => import('./pages/log')),
  page('/settings', () => import('./pages/settings')),
  page('/webhooks/$webhook', () => import('./pages/webhook')),
  page('/$', () => import('./pages/not-found')),
] as const;

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: rootRoute.addChildren([...pages]),
    basepath: '/operator',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultErrorComponent: FailedPage,
    // The page of another record begins empty: a query would show the former record while it loads.
    defaultRemountDeps: ({ params }) => params,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
