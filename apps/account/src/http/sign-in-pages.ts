import type { OpenSignInLink } from '@farebox/accounts';
import type { Brand } from '@farebox/config';
import type { ApiError } from '@farebox/errors';
import { helpPathOf, renderPage } from '@farebox/http';
import type { Texts } from '@farebox/texts/every-language';
import escapeHtml from 'escape-html';
import type { DocumentAnswer } from './endpoint';

interface SignInPage {
  status: number;
  title: string;
  /** HTML. */
  content: string;
  headers?: Readonly<Record<string, string>>;
}

/** The pages for signing in, in one language: they have no script and load nothing. */
export class SignInPages {
  readonly #brand: Brand;
  readonly #texts: Texts;

  constructor(brand: Brand, texts: Texts) {
    this.#brand = brand;
    this.#texts = texts;
  }

  /**
   * The page of a valid link. It shows the address, so that nobody signs in to somebody else's account
   * unnoticed. Only the button spends the link, so that programs that scan mails do not.
   */
  link({ email, purpose }: OpenSignInLink, token: string): DocumentAnswer {
    const { t } = this.#texts;
    const service = this.#brand.name;
    const isInvite = purpose === 'invite';
    const introduction = escapeHtml(t('{service} is a prepaid API for language models.', { service }));
    // The value is put between tags after the words are escaped.
    const owner = escapeHtml(t('You sign in as {address}.', { address: OWNER })).replace(
      OWNER,
      () => `<strong>${escapeHtml(email)}</strong>`,
    );
    return this.#page({
      status: 200,
      title: isInvite
        ? t('Your invitation to {service}', { service })
        : t('Sign in to {service}', { service }),
      content: `${isInvite ? `<p>${introduction}</p>\n` : ''}<p>${owner}</p>
<form method="post" action="/auth/sessions">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button type="submit">${escapeHtml(isInvite ? t('Accept and sign in') : t('Sign in'))}</button>
</form>
<p><small>${escapeHtml(t('If this is not your address, close this page.'))}</small></p>`,
    });
  }

  /** The page of a link that is unknown, used or expired. */
  deadLink(): DocumentAnswer {
    const { t } = this.#texts;
    return this.#page({
      status: 404,
      title: t('This link cannot be used'),
      content: `<p>${escapeHtml(t('It was used already, has expired, or is not complete.'))}</p>
${this.#wayToNewLink()}`,
    });
  }

  /** The same in a browser with a session: most likely the person has just used the link. */
  signedInAlready(): DocumentAnswer {
    const { t } = this.#texts;
    return this.#page({
      status: 200,
      title: t('You are signed in'),
      content: `<p>${escapeHtml(t('This link was used already or has expired, but you are signed in.'))}</p>
<p><a href="/">${escapeHtml(t('Open the console'))}</a></p>`,
    });
  }

  /** An error as a page, with the message of the API. */
  error(error: ApiError): DocumentAnswer {
    return this.#page({
      status: error.status,
      title: this.#texts.t('You are not signed in'),
      content: `<p lang="en">${escapeHtml(error.publicMessage)}</p>
${this.#wayToNewLink()}`,
      headers: {
        link: `<${helpPathOf(error.code)}>; rel="help"`,
        ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
      },
    });
  }

  /** The console shows the form to visitors who are not signed in. */
  #wayToNewLink(): string {
    return `<p><a href="/">${escapeHtml(this.#texts.t('Ask for a new link'))}</a></p>`;
  }

  #page({ status, title, content, headers: own = {} }: SignInPage): DocumentAnswer {
    const { html, headers } = renderPage({ title, content, brand: this.#brand, texts: this.#texts });
    return {
      status,
      document: {
        mediaType: 'text/html',
        content: html,
        headers: { ...headers, ...own, vary: 'Accept-Language' },
      },
    };
  }
}

/** Stands for the address in a text. */
const OWNER = '\u0000';
