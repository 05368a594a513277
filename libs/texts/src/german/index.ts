import { account } from './account';
import { billing } from './billing';
import { documents } from './documents';
import { errors } from './errors';
import { frame } from './frame';
import { keys } from './keys';
import { limits } from './limits';
import { mails } from './mails';
import { models } from './models';
import { names } from './names';
import { playground } from './playground';
import { proofs } from './proofs';
import { requests } from './requests';
import { signIn } from './sign-in';
import { topUps } from './top-ups';
import { usage } from './usage';
import { webhooks } from './webhooks';

/**
 * Every text of the console, the mails and the pages for signing in: the English one, which is the key, and the
 * German one. Customers are addressed with "Sie". The terms are:
 *
 * account Konto · activity Aktivität · allowed origin erlaubter Ursprung · API key API-Schlüssel · automatic
 * top-up automatische Aufladung · balance Guthaben · billing Abrechnung · cap Obergrenze · charge Belastung,
 * berechnen · completion Antwort · credit note Gutschrift · device Gerät · disable deaktivieren · to hold
 * reservieren · invoice Rechnung · key Schlüssel · limit Limit · mail E-Mail · operator Betreiber · outcome
 * Ergebnis · purchase order Bestellnummer · reasoning Überlegung · receipt Beleg · refund Erstattung · refuse
 * ablehnen · request Anfrage · revoke widerrufen · rotate erneuern · secret Geheimnis · session Sitzung · spend
 * Ausgaben · spending limit Ausgabelimit · statement Kontoauszug · token Token, die Tokens · top-up Aufladung ·
 * usage Nutzung · voucher Gutschein
 */
export const german = {
  ...account,
  ...billing,
  ...documents,
  ...errors,
  ...frame,
  ...keys,
  ...limits,
  ...mails,
  ...models,
  ...names,
  ...playground,
  ...proofs,
  ...requests,
  ...signIn,
  ...topUps,
  ...usage,
  ...webhooks,
};
