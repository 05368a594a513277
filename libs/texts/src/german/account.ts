/** Devices and sessions, security and settings. */
export const account = {
  'Where your account is signed in. Anything you end here is refused from the next request on.':
    'Wo Ihr Konto angemeldet ist. Was Sie hier beenden, wird ab der nächsten Anfrage abgelehnt.',
  'This session': 'Diese Sitzung',
  'Ends if unused': 'Endet ohne Nutzung',
  'Sign out of this session': 'Von dieser Sitzung abmelden',
  'End the session of {client}': 'Sitzung von {client} beenden',
  'End the session?': 'Sitzung beenden?',
  'Whoever uses it is signed out.': 'Wer sie benutzt, wird abgemeldet.',
  'End session': 'Sitzung beenden',
  End: 'Beenden',
  'No sessions': 'Keine Sitzungen',
  'The device is signed out for good. It can be signed in again as a new device.':
    'Das Gerät wird endgültig abgemeldet. Es kann sich als neues Gerät wieder anmelden.',
  'No devices': 'Keine Geräte',
  'Command-line and desktop programs that you sign in with are listed here.':
    'Hier stehen Kommandozeilen- und Desktop-Programme, mit denen Sie sich anmelden.',

  'Changes to your account and its credentials: when, by whom and from where.':
    'Änderungen an Ihrem Konto und seinen Zugängen: wann, durch wen und von wo.',
  'Something you do not recognise?': 'Etwas, das Sie nicht kennen?',
  '<sessions>Sign out everywhere</sessions>, revoke the <keys>API keys</keys> and <devices>devices</devices> that you do not recognise, and check who else can read your mail: sign-in links are sent there.':
    '<sessions>Melden Sie sich überall ab</sessions>, widerrufen Sie die <keys>API-Schlüssel</keys> und <devices>Geräte</devices>, die Sie nicht kennen, und prüfen Sie, wer noch Ihre E-Mails lesen kann: dorthin gehen die Links zum Anmelden.',
  'New browser': 'Neuer Browser',
  Events: 'Ereignisse',
  'Only the first part of the network address is kept.':
    'Von der Netzwerkadresse wird nur der erste Teil aufbewahrt.',
  'Nothing yet': 'Noch nichts',
  'A session': 'Eine Sitzung',
  'A device': 'Ein Gerät',
  'The operator': 'Der Betreiber',
  'The service': 'Der Dienst',
  'Signed in': 'Angemeldet',
  'Signed out': 'Abgemeldet',
  'Session of': 'Sitzung von',
  created: 'erstellt',
  changed: 'geändert',
  rotated: 'erneuert',
  revoked: 'widerrufen',
  started: 'begonnen',
  ended: 'beendet',

  'Account id': 'Konto-ID',
  'Copy the account id': 'Konto-ID kopieren',
  'Customer since': 'Kunde seit',
  'On invoices and in mails': 'Auf Rechnungen und in E-Mails',
  'Your name is saved.': 'Ihr Name ist gespeichert.',
  '{count} in {seconds, plural, one {# second} other {# seconds}}':
    '{count} in {seconds, plural, one {# Sekunde} other {# Sekunden}}',
  Appearance: 'Darstellung',
  'Same as the system': 'Wie das System',
  Light: 'Hell',
  Dark: 'Dunkel',
  Language: 'Sprache',
  'Used in mails to you, too.': 'Auch für E-Mails an Sie.',
  'Same as the browser': 'Wie der Browser',
  'The language is saved.': 'Die Sprache ist gespeichert.',
  'Sign out everywhere': 'Überall abmelden',
  'Sign out everywhere?': 'Überall abmelden?',
  'This ends every session of your account, including this one and those of your devices. API keys keep working.':
    'Damit endet jede Sitzung Ihres Kontos, auch diese und die Ihrer Geräte. API-Schlüssel funktionieren weiter.',
  'To come back, you need a new sign-in link.':
    'Um zurückzukommen, brauchen Sie einen neuen Link zum Anmelden.',
};
