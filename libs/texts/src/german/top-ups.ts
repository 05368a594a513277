/** Payments, vouchers, the saved card and the automatic top-up. */
export const topUps = {
  '{service} credits what you pay. Ask whoever invited you how to pay, and quote this reference:':
    '{service} schreibt Ihnen gut, was Sie zahlen. Fragen Sie die Person, die Sie eingeladen hat, wie Sie zahlen können, und nennen Sie diese Referenz:',
  '{service} credits what you pay. Write to {address} how much you want to add, and quote this reference:':
    '{service} schreibt Ihnen gut, was Sie zahlen. Schreiben Sie an {address}, wie viel Sie aufladen möchten, und nennen Sie diese Referenz:',
  'Copy the reference': 'Referenz kopieren',
  '{service}: add funds to {reference}': '{service}: Guthaben für {reference} aufladen',
  'Usual amounts': 'Übliche Beträge',
  'From {least} to {most}': 'Von {least} bis {most}',
  'Dollars and cents, like 25 or 25.50': 'Dollar und Cent, zum Beispiel 25 oder 25,50',
  'Pay by card': 'Mit Karte zahlen',
  'You pay on the page of the payment provider, and come back here.':
    'Sie zahlen auf der Seite des Zahlungsdienstleisters und kommen hierher zurück.',
  'Code of a voucher': 'Code eines Gutscheins',
  Redeem: 'Einlösen',
  'Your voucher of {amount} has been added to your balance.':
    'Ihr Gutschein über {amount} ist Ihrem Guthaben gutgeschrieben.',
  'Thank you': 'Vielen Dank',
  'Nothing was paid': 'Es wurde nichts gezahlt',
  'You left before the payment was complete.': 'Sie haben die Zahlung vor dem Abschluss verlassen.',
  'Your payment is added to your balance as soon as the payment provider confirms it.':
    'Ihre Zahlung wird Ihrem Guthaben gutgeschrieben, sobald der Zahlungsdienstleister sie bestätigt.',
  'Your payment of {amount} has been added to your balance.':
    'Ihre Zahlung über {amount} ist Ihrem Guthaben gutgeschrieben.',
  'Your payment has been added to your balance.': 'Ihre Zahlung ist Ihrem Guthaben gutgeschrieben.',
  'The payment of {amount} did not arrive.': 'Die Zahlung über {amount} ist nicht eingegangen.',
  'The payment did not arrive.': 'Die Zahlung ist nicht eingegangen.',
  'Your payment of {amount} was ordered, and can take days to arrive.':
    'Ihre Zahlung über {amount} wurde beauftragt; bis sie eingeht, können Tage vergehen.',
  'Your payment was ordered, and can take days to arrive.':
    'Ihre Zahlung wurde beauftragt; bis sie eingeht, können Tage vergehen.',
  'Your payment of {amount} is on its way to your balance. This takes a few seconds.':
    'Ihre Zahlung über {amount} ist auf dem Weg zu Ihrem Guthaben. Das dauert einige Sekunden.',
  'Your payment is on its way to your balance. This takes a few seconds.':
    'Ihre Zahlung ist auf dem Weg zu Ihrem Guthaben. Das dauert einige Sekunden.',

  'Automatic top-up': 'Automatische Aufladung',
  'Your saved card is charged when your balance runs low, so that your requests keep running.':
    'Ihre gespeicherte Karte wird belastet, wenn Ihr Guthaben zur Neige geht, damit Ihre Anfragen weiterlaufen.',
  On: 'Ein',
  Off: 'Aus',
  '{part} of at most {whole} charged this month (UTC)':
    'Diesen Monat {part} von höchstens {whole} abgebucht (UTC)',
  'The monthly ceiling is reached': 'Die monatliche Obergrenze ist erreicht',
  'Nothing more is charged until next month. Raise the ceiling, or add funds yourself.':
    'Bis zum nächsten Monat wird nichts mehr abgebucht. Erhöhen Sie die Obergrenze, oder laden Sie selbst Guthaben auf.',
  'Automatic top-up is on.': 'Die automatische Aufladung ist eingeschaltet.',
  'Automatic top-up is off': 'Die automatische Aufladung ist ausgeschaltet',
  'Automatic top-up is off.': 'Die automatische Aufladung ist ausgeschaltet.',
  'It was switched off because the last three payments were declined. Check your card or save another one.':
    'Sie wurde ausgeschaltet, weil die letzten drei Zahlungen abgelehnt wurden. Prüfen Sie Ihre Karte, oder speichern Sie eine andere.',
  'It was switched off because the card is gone. Save a card and switch it on again.':
    'Sie wurde ausgeschaltet, weil es die Karte nicht mehr gibt. Speichern Sie eine Karte, und schalten Sie sie wieder ein.',
  'It was switched off because a payment by card was disputed.':
    'Sie wurde ausgeschaltet, weil eine Kartenzahlung angefochten wurde.',
  'The last payment of {amount} is under way. {when}':
    'Die letzte Zahlung über {amount} ist unterwegs. {when}',
  'The last payment of {amount} was made. {when}': 'Die letzte Zahlung über {amount} ist erfolgt. {when}',
  'The last payment of {amount} failed. {when}':
    'Die letzte Zahlung über {amount} ist fehlgeschlagen. {when}',
  'The last payment of {amount} failed: {reason}. {when}':
    'Die letzte Zahlung über {amount} ist fehlgeschlagen: {reason}. {when}',
  'the bank asks for a confirmation that only you can give':
    'die Bank verlangt eine Bestätigung, die nur Sie geben können',
  'the bank declined the card': 'die Bank hat die Karte abgelehnt',
  'the card has expired': 'die Karte ist abgelaufen',
  'the bank says that the card has insufficient funds': 'die Karte ist laut Bank nicht gedeckt',
  'the payment provider did not carry it out': 'der Zahlungsdienstleister hat sie nicht ausgeführt',
  'the payment provider did not accept it': 'der Zahlungsdienstleister hat sie nicht angenommen',
  'Your card has been removed.': 'Ihre Karte ist entfernt.',
  'Saved card: {brand} ending in {end}, valid to {date}':
    'Gespeicherte Karte: {brand} mit den Endziffern {end}, gültig bis {date}',
  'Your card is being saved. This takes a few seconds.':
    'Ihre Karte wird gespeichert. Das dauert einige Sekunden.',
  'No card is saved.': 'Es ist keine Karte gespeichert.',
  'Replace the card': 'Karte ersetzen',
  'Save a card': 'Karte speichern',
  'Remove the card': 'Karte entfernen',
  'When less than this is available': 'Wenn weniger als dies verfügbar ist',
  'Add this amount': 'Diesen Betrag aufladen',
  'At most in a month': 'Höchstens im Monat',
  'Change automatic top-up': 'Automatische Aufladung ändern',
  'Switch on automatic top-up': 'Automatische Aufladung einschalten',
  'Switch off': 'Ausschalten',
};
