import type { Texts } from '@farebox/texts';
import type { Page } from 'playwright-core';
import type { Answers } from './answers';

export type Act = (page: Page, t: Texts['t']) => Promise<unknown>;

export interface Shot {
  name: string;
  path: string;
  /** By default the demo account, which has a month of usage. */
  visitor?: 'newcomer' | 'nobody';
  answers?: Answers;
  /** Actions on the page before the screenshot, which then is of the screen, not of all of the page. */
  act?: Act;
}

/** Opens the dialog of a button. */
export const opens =
  (button: Parameters<Texts['t']>[0]): Act =>
  async (page, t) => {
    await press(page, t(button as 'Edit'));
    await page.getByRole('dialog').waitFor();
  };

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();
