import type { OpenSignInLink } from '@farebox/accounts';
import type { Brand } from '@farebox/config';
import type { ApiError } from '@farebox/errors';
import { helpPathOf, renderPage } from '@farebox/http';
import escapeHtml from 'escape-html';
import type { DocumentAnswer } from './endpoint';

interface SignInPage {
  status: number;
  title: string;
  /** HTML. */
  content: string;
  headers?: Readonly<Record<string, string>>;
}

/** The console shows the form to visitors who are not signed in. */
const ASK_FOR_ANOTHER = '<p><a href="/">Ask for a new link</a></p>';

/** The pages for signing in: they have no script and load nothing. */
export class SignInPages {
  readonly #brand: Brand;

  constructor(brand: Brand) {
    this.#brand = brand;
  }

  /**
   * The page of a valid link. It shows the address, so that nobody signs in to somebody else's account
   * unnoticed. Only the button spends the link, so that programs that scan mails do not.
   */
  link({ email, purpose }: OpenSignInLink, token: string): DocumentAnswer {
    const isInvite = purpose === 'invite';
    return this.#page({
      status: 200,
      title: isInvite ? `Your invitation to ${this.#brand.name}` : `Sign in to ${this.#brand.name}`,
      content: `${isInvite ? `<p>${escapeHtml(this.#brand.name)} is a prepaid API for language models.</p>\n` : ''}<p>You sign in as <strong>${escapeHtml(email)}</strong>.</p>
<form method="post" action="/auth/sessions">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button type="submit">${isInvite ? 'Accept and sign in' : 'Sign in'}</button>
</form>
<p><small>If this is not your address, close this page.</small></p>`,
    });
  }

  /** The page of a link that is unknown, used or expired. */
  deadLink(): DocumentAnswer {
    return this.#page({
      status: 404,
      title: 'This link cannot be used',
      content: `<p>It was used already, has expired, or is not complete.</p>
${ASK_FOR_ANOTHER}`,
    });
  }

  /** The same in a browser with a session: most likely the person has just used the link. */
  signedInAlready(): DocumentAnswer {
    return this.#page({
      status: 200,
      title: 'You are signed in',
      content: `<p>This link was used already or has expired, but you are signed in.</p>
<p><a href="/">Open the console</a></p>`,
    });
  }

  /** An error as a page. */
  error(error: ApiError): DocumentAnswer {
    return this.#page({
      status: error.status,
      title: 'You are not signed in',
      content: `<p>${escapeHtml(error.publicMessage)}</p>
${ASK_FOR_ANOTHER}`,
      headers: {
        link: `<${helpPathOf(error.code)}>; rel="help"`,
        ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
      },
    });
  }

  #page({ status, title, content, headers: own = {} }: SignInPage): DocumentAnswer {
    const { html, headers } = renderPage({ title, content, brand: this.#brand });
    return {
      status,
      document: { mediaType: 'text/html', content: html, headers: { ...headers, ...own } },
    };
  }
}
