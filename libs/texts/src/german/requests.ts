/** The activity, and the page of a request. */
export const requests = {
  'Every request of your account, including those that failed or were refused.':
    'Jede Anfrage Ihres Kontos, auch fehlgeschlagene und abgelehnte.',
  'All outcomes': 'Alle Ergebnisse',
  'No requests here': 'Keine Anfragen',
  'There are none in this range, or the filter excludes them.':
    'In diesem Zeitraum gibt es keine, oder der Filter schließt sie aus.',
  'Find a request': 'Anfrage suchen',
  'Find by request id': 'Nach Anfrage-ID suchen',
  Completed: 'Abgeschlossen',
  'The answer was delivered completely.': 'Die Antwort wurde vollständig geliefert.',
  Disconnected: 'Getrennt',
  'The connection was closed before the end. What had been delivered is charged.':
    'Die Verbindung wurde vor dem Ende geschlossen. Was geliefert wurde, wird berechnet.',
  'Broke off': 'Abgebrochen',
  'The model failed midway. What had been delivered is charged.':
    'Das Modell ist mittendrin ausgefallen. Was geliefert wurde, wird berechnet.',
  'Timed out': 'Zeit abgelaufen',
  'The model stopped responding. What had been delivered is charged.':
    'Das Modell hat nicht mehr geantwortet. Was geliefert wurde, wird berechnet.',
  'Cut short': 'Unterbrochen',
  'The service was restarted. What had been delivered is charged.':
    'Der Dienst wurde neu gestartet. Was geliefert wurde, wird berechnet.',
  Stopped: 'Gestoppt',
  'The account was suspended. What had been delivered is charged.':
    'Das Konto wurde gesperrt. Was geliefert wurde, wird berechnet.',
  Failed: 'Fehlgeschlagen',
  'Nothing was delivered, and nothing was charged.': 'Es wurde nichts geliefert und nichts berechnet.',
  Refused: 'Abgelehnt',
  'It was turned down before the model, and not charged.':
    'Sie wurde vor dem Modell zurückgewiesen und nicht berechnet.',
  Running: 'Läuft',
  'It is running. Its maximum cost is held.': 'Sie läuft. Ihre Höchstkosten sind reserviert.',
  'In review': 'In Prüfung',
  'Its cost was measured and is reserved. It is charged or released when the review is over.':
    'Ihre Kosten wurden ermittelt und sind zurückgestellt. Nach der Prüfung werden sie berechnet oder freigegeben.',
  Refunded: 'Erstattet',
  'Its cost was refunded.': 'Ihre Kosten wurden erstattet.',
  Released: 'Freigegeben',
  'It ended without a charge.': 'Sie endete ohne Belastung.',
  Latency: 'Dauer',

  Print: 'Drucken',
  'By {service}, from your prepaid balance': 'Durch {service}, aus Ihrem Prepaid-Guthaben',
  Review: 'Prüfung',
  'Running since': 'Läuft seit',
  'Ends by': 'Endet spätestens',
  Streamed: 'Gestreamt',
  'First token after': 'Erstes Token nach',
  'HTTP status': 'HTTP-Status',
  'Copy the id of the completion': 'ID der Antwort kopieren',
  'Counted by': 'Gezählt durch',
  "The service, with the model's tokenizer, as the model reported none":
    'Den Dienst, mit dem Tokenizer des Modells, da das Modell keine gemeldet hat',
  Reserved: 'Zurückgestellt',
  Charged: 'Berechnet',
  'Given back': 'Erstattet',
  'Cached prompt tokens': 'Prompt-Tokens aus dem Cache',
  'Prompt tokens written to a cache': 'In einen Cache geschriebene Prompt-Tokens',
  'Reasoning tokens': 'Überlegungs-Tokens',
  'The request itself': 'Die Anfrage selbst',
  'Beyond what was held': 'Über das Reservierte hinaus',
  '{count} at {price} a million: {cost}': '{count} zu {price} je Million: {cost}',
  '{count} at {price}: {cost}': '{count} zu {price}: {cost}',
};
