import { LINK_LIFETIME_MS } from '@farebox/accounts';
import { parseBody, requestLinkBody, type LinkRequest } from '@farebox/contracts';
import { readJsonBody } from '@farebox/http';
import type { Pool } from 'pg';
import { requestLink } from '../../use-cases/sign-in/request-link';
import { networkOf } from '../client-network';
import type { OpenEndpoint } from '../open-endpoint';
import { BODY_LIMITS } from './body-limits';

const MS_PER_SECOND = 1_000;
const ANSWER: LinkRequest = {
  object: 'link_request',
  expires_in: LINK_LIFETIME_MS.sign_in / MS_PER_SECOND,
};

/** `POST /auth/links`: the same answer for every address, whatever is done about it afterwards. */
export function requestLinkEndpoint(pool: Pool): OpenEndpoint {
  return {
    method: 'POST',
    path: '/auth/links',
    async handle(req) {
      const { email } = parseBody(requestLinkBody, await readJsonBody(req, BODY_LIMITS));
      await requestLink({ email, network: networkOf(req.ip) }, pool);
      return { status: 202, body: ANSWER };
    },
  };
}
