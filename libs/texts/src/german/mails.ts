/** Mails. All of them begin with a greeting, except those to sign in. */
export const mails = {
  'Hello {name},': 'Guten Tag {name},',
  'Or open this address:': 'Oder öffnen Sie diese Adresse:',
  'Questions? Write to {address}.': 'Fragen? Schreiben Sie an {address}.',

  'Sign in to {service}': 'Anmelden bei {service}',
  'Somebody, most likely you, asked to sign in to {service} as {address}.':
    'Jemand, höchstwahrscheinlich Sie, möchte sich bei {service} als {address} anmelden.',
  'This link signs you in. It works once, for {minutes} minutes:':
    'Mit diesem Link melden Sie sich an. Er gilt einmal, {minutes} Minuten lang:',
  'Or, if you asked on another machine, type this code there, into the page that waits for it:':
    'Oder geben Sie diesen Code, wenn Sie auf einem anderen Gerät angefragt haben, dort in die Seite ein, die darauf wartet:',
  'Type the code nowhere else, whoever asks you for it. If you did not ask for this mail, do nothing: without the link or the code nobody gets in. Pass on neither.':
    'Geben Sie den Code nirgends sonst ein, wer auch danach fragt. Wenn Sie diese E-Mail nicht angefordert haben, müssen Sie nichts tun: ohne Link oder Code kommt niemand hinein. Geben Sie beides nicht weiter.',

  'Your invitation to {service}': 'Ihre Einladung zu {service}',
  'you are invited to {service}, a prepaid API for language models.':
    'Sie sind zu {service} eingeladen, einer Prepaid-API für Sprachmodelle.',
  'This link accepts the invitation and signs you in. It works once, for {days} days:':
    'Mit diesem Link nehmen Sie die Einladung an und melden sich an. Er gilt einmal, {days} Tage lang:',
  'Accept the invitation': 'Einladung annehmen',
  'Later you sign in with a link that is sent to this address. If you did not expect this mail, do nothing.':
    'Später melden Sie sich mit einem Link an, der an diese Adresse gesendet wird. Wenn Sie diese E-Mail nicht erwartet haben, müssen Sie nichts tun.',

  'Your {service} balance is low': 'Ihr Guthaben bei {service} ist niedrig',
  'your {service} account {address} has {available} dollars left: less than the {threshold} dollars below which you get this mail.':
    'auf Ihrem {service}-Konto {address} sind noch {available} Dollar: weniger als die {threshold} Dollar, unter denen Sie diese E-Mail erhalten.',
  'When the balance is used up, requests are refused until money is added. Add funds here:':
    'Wenn das Guthaben aufgebraucht ist, werden Anfragen abgelehnt, bis Sie es wieder aufladen. Das geht hier:',
  'You get this mail once, and again only after the balance was above that amount.':
    'Sie erhalten diese E-Mail einmal, und erst dann wieder, wenn das Guthaben zwischendurch über diesem Betrag lag.',

  'Automatic top-up of your {service} account is off':
    'Die automatische Aufladung Ihres {service}-Kontos ist ausgeschaltet',
  'automatic top-up of your {service} account {address} was switched off, because its last three payments were declined. Your card is not charged any more.':
    'die automatische Aufladung Ihres {service}-Kontos {address} wurde ausgeschaltet, weil die letzten drei Zahlungen abgelehnt wurden. Ihre Karte wird nicht mehr belastet.',
  'automatic top-up of your {service} account {address} was switched off, because its saved card does not exist any more. Your card is not charged any more.':
    'die automatische Aufladung Ihres {service}-Kontos {address} wurde ausgeschaltet, weil es die gespeicherte Karte nicht mehr gibt. Ihre Karte wird nicht mehr belastet.',
  'automatic top-up of your {service} account {address} was switched off, because a payment by card was disputed. Your card is not charged any more.':
    'die automatische Aufladung Ihres {service}-Kontos {address} wurde ausgeschaltet, weil eine Kartenzahlung angefochten wurde. Ihre Karte wird nicht mehr belastet.',
  'When the balance is used up, requests are refused. Add funds, or switch automatic top-up on again, here:':
    'Wenn das Guthaben aufgebraucht ist, werden Anfragen abgelehnt. Hier können Sie Guthaben aufladen oder die automatische Aufladung wieder einschalten:',
  'Open billing': 'Abrechnung öffnen',

  'A webhook of your {service} account is disabled': 'Ein Webhook Ihres {service}-Kontos ist deaktiviert',
  'a webhook of your {service} account {address} was disabled, because nothing could be delivered to {host} for three days.':
    'ein Webhook Ihres {service}-Kontos {address} wurde deaktiviert, weil drei Tage lang nichts an {host} zugestellt werden konnte.',
  'a webhook of your {service} account {address} was disabled, because {host} answered with status 410: it wants no further events.':
    'ein Webhook Ihres {service}-Kontos {address} wurde deaktiviert, weil {host} mit Status 410 geantwortet hat, also keine Ereignisse mehr will.',
  'It is not told of what happens while it is disabled. Once your program takes events again, edit the webhook on this page and switch "Send events" on: events that still wait are sent then.':
    'Was geschieht, solange er deaktiviert ist, erfährt er nicht. Sobald Ihr Programm wieder Ereignisse annimmt, bearbeiten Sie den Webhook auf dieser Seite und schalten „Ereignisse senden“ ein: Ereignisse, die noch warten, werden dann gesendet.',
  'Open the webhook': 'Webhook öffnen',

  'New sign-in to {service}': 'Neue Anmeldung bei {service}',
  'New API key of your {service} account': 'Neuer API-Schlüssel Ihres {service}-Kontos',
  'New device of your {service} account': 'Neues Gerät Ihres {service}-Kontos',
  'Somebody, most likely you, signed in to the {service} account {address} from a browser that had not been used for it before.':
    'Jemand, höchstwahrscheinlich Sie, hat sich beim {service}-Konto {address} mit einem Browser angemeldet, der dafür noch nie benutzt wurde.',
  'Somebody, most likely you, created an API key of the {service} account {address}.':
    'Jemand, höchstwahrscheinlich Sie, hat einen API-Schlüssel des {service}-Kontos {address} erstellt.',
  'Somebody, most likely you, registered a device of the {service} account {address}.':
    'Jemand, höchstwahrscheinlich Sie, hat ein Gerät des {service}-Kontos {address} registriert.',
  'When: {time}': 'Wann: {time}',
  'Where: {browser}, network {network}': 'Wo: {browser}, Netz {network}',
  'a browser or program that is not known': 'ein unbekannter Browser oder ein unbekanntes Programm',
  'not known': 'unbekannt',
  'If it was you, there is nothing to do. If it was not, sign out everywhere, revoke what you do not know, and check who can read your mail. This page shows what was done, and how:':
    'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, melden Sie sich überall ab, widerrufen Sie, was Sie nicht kennen, und prüfen Sie, wer Ihre E-Mails lesen kann. Diese Seite zeigt, was getan wurde, und wie:',
  'See what was done to your account': 'Änderungen an Ihrem Konto ansehen',
  'At most five mails of this kind are sent in an hour. The page shows everything.':
    'Es werden höchstens fünf solche E-Mails in einer Stunde gesendet. Die Seite zeigt alles.',
};
