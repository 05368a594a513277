import { findSignInLink } from '@farebox/accounts';
import type { Pool } from 'pg';
import type { OpenEndpoint } from '../open-endpoint';
import { deadLinkPage, linkPage } from './pages';

/** `GET /auth/links/{token}`: a page with a button. The link stays as it is, however often it is looked at. */
export function linkPageEndpoint(pool: Pool): OpenEndpoint {
  return {
    method: 'GET',
    path: '/auth/links/:token',
    async handle(req) {
      const { token } = req.params;
      if (typeof token !== 'string') return deadLinkPage();
      const link = await findSignInLink(pool, token);
      return link ? linkPage(link, token) : deadLinkPage();
    },
  };
}
