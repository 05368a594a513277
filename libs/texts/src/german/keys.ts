export const keys = {
  'Your programs use them to call the models. The secret of each is shown only once.':
    'Damit rufen Ihre Programme die Modelle auf. Das Geheimnis eines Schlüssels wird nur einmal angezeigt.',
  'Create key': 'Schlüssel erstellen',
  'Search the API keys': 'API-Schlüssel durchsuchen',
  'Name or last four characters': 'Name oder letzte vier Zeichen',
  'Search for a part of its name, or for the last four characters of its secret.':
    'Suchen Sie nach einem Teil seines Namens oder den letzten vier Zeichen seines Geheimnisses.',
  'No active keys': 'Keine aktiven Schlüssel',
  'No active key matches': 'Kein aktiver Schlüssel passt',
  'Create one to call the models from a program.':
    'Erstellen Sie einen, um die Modelle aus einem Programm aufzurufen.',
  'No disabled keys': 'Keine deaktivierten Schlüssel',
  'No disabled key matches': 'Kein deaktivierter Schlüssel passt',
  'Keys that you disable are listed here, until you enable them again.':
    'Hier stehen Schlüssel, die Sie deaktiviert haben, bis Sie sie wieder aktivieren.',
  'No expired keys': 'Keine abgelaufenen Schlüssel',
  'No expired key matches': 'Kein abgelaufener Schlüssel passt',
  'Keys that have expired are listed here.': 'Hier stehen abgelaufene Schlüssel.',
  'No revoked keys': 'Keine widerrufenen Schlüssel',
  'No revoked key matches': 'Kein widerrufener Schlüssel passt',
  'Keys that you revoke are listed here, with their usage.':
    'Hier stehen Schlüssel, die Sie widerrufen haben, mit ihrer Nutzung.',
  Disabled: 'Deaktiviert',
  Expired: 'Abgelaufen',
  Revoked: 'Widerrufen',

  'The last 30 days, UTC': 'Die letzten 30 Tage, UTC',
  '{amount} for {count, plural, one {# request} other {# requests}}':
    '{amount} für {count, plural, one {# Anfrage} other {# Anfragen}}',
  'Not used in this period': 'In diesem Zeitraum nicht benutzt',
  'Requests with this key are shown here, day by day.':
    'Hier sehen Sie die Anfragen mit diesem Schlüssel, Tag für Tag.',
  'Requests of this key': 'Anfragen dieses Schlüssels',
  'Copy the id of the key': 'ID des Schlüssels kopieren',
  'Monthly limit': 'Monatliches Limit',
  'Allowed origins': 'Erlaubte Ursprünge',
  'Any program may use it': 'Jedes Programm darf ihn verwenden',
  'Account limits': 'Limits des Kontos',
  'Shown to users of the key': 'Für Nutzer des Schlüssels sichtbar',
  'Not shown to users of the key': 'Für Nutzer des Schlüssels nicht sichtbar',
  'Only {names}': 'Nur {names}',
  'All but {names}': 'Alle außer {names}',

  'Your API key': 'Ihr API-Schlüssel',
  'Edit the API key': 'API-Schlüssel bearbeiten',
  'What it is for, so that you recognise it': 'Wofür er da ist, damit Sie ihn wiedererkennen',
  'Monthly spending limit': 'Monatliches Ausgabelimit',
  'In US dollars. If it is empty, the limits of your account apply':
    'In US-Dollar. Ohne Angabe gelten die Limits Ihres Kontos',
  'No limit': 'Kein Limit',
  'At the end of this day. If it is empty, never': 'Am Ende dieses Tages. Ohne Angabe nie',
  'For a key in a web page: the origins that may use it, separated by commas. If it is empty, programs may use it':
    'Für einen Schlüssel in einer Webseite: die Ursprünge, die ihn verwenden dürfen, durch Kommas getrennt. Ohne Angabe dürfen ihn Programme verwenden',
  "Show users of the key the account's balance and limits":
    'Nutzern des Schlüssels Guthaben und Limits des Kontos zeigen',
  'In quotes and error messages: the balance, and what is left of the daily caps. Visitors of a web page can see whatever its key is shown':
    'In Kostenvoranschlägen und Fehlermeldungen: das Guthaben und der Rest der Tagesobergrenzen. Besucher einer Webseite können alles sehen, was deren Schlüssel gezeigt wird',
  'Only these': 'Nur diese',
  'All but these': 'Alle außer diesen',
  'Chosen models': 'Gewählte Modelle',
  'Choose models': 'Modelle wählen',
  'Give the key a name.': 'Geben Sie dem Schlüssel einen Namen.',
  'Write an amount above zero in dollars, like 5 or 2.50.':
    'Geben Sie einen Betrag über null in Dollar an, zum Beispiel 5 oder 2,50.',
  'Choose today or a later day.': 'Wählen Sie heute oder einen späteren Tag.',
  '{text} is not an origin. Write it like https://app.example.com':
    '{text} ist kein Ursprung. Schreiben Sie ihn so: https://app.example.com',
  'Choose at least one model.': 'Wählen Sie mindestens ein Modell.',

  Edit: 'Bearbeiten',
  Enable: 'Aktivieren',
  Disable: 'Deaktivieren',
  Rotate: 'Erneuern',
  Revoke: 'Widerrufen',
  'Revoke {name}': '{name} widerrufen',
  'Rename {name}': '{name} umbenennen',
  Rename: 'Umbenennen',
  'Enable {name}?': '{name} aktivieren?',
  'Disable {name}?': '{name} deaktivieren?',
  'Rotate {name}?': '{name} erneuern?',
  'Revoke {name}?': '{name} widerrufen?',
  '{name} is revoked.': '{name} ist widerrufen.',
  'The key is refused from the next request on, until you enable it again.':
    'Der Schlüssel wird ab der nächsten Anfrage abgelehnt, bis Sie ihn wieder aktivieren.',
  'Programs that have its secret can use the key again.':
    'Programme, die sein Geheimnis haben, können den Schlüssel wieder verwenden.',
  'The new secret': 'Das neue Geheimnis',
  'The key gets a new secret. Programs with the old one are refused from the next request on.':
    'Der Schlüssel erhält ein neues Geheimnis. Programme mit dem alten werden ab der nächsten Anfrage abgelehnt.',
  'From the next request on, the key is refused for good. Its usage is kept.':
    'Der Schlüssel wird ab der nächsten Anfrage endgültig abgelehnt. Seine Nutzung bleibt erhalten.',
  'Copy it now': 'Kopieren Sie ihn jetzt',
  'It is not shown again. Anybody who has it can spend your balance.':
    'Er wird nicht noch einmal angezeigt. Wer ihn hat, kann Ihr Guthaben ausgeben.',
  'The browser refused to copy it. Select the text and copy it by hand.':
    'Der Browser hat das Kopieren verweigert. Markieren Sie den Text, und kopieren Sie ihn von Hand.',
};
