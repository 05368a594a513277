/** The limits that the operator has set. */
export const limits = {
  'The operator sets them.': 'Der Betreiber legt sie fest.',
  'The operator sets them. A request must have room in all that apply to it.':
    'Der Betreiber legt sie fest. Eine Anfrage muss in alle passen, die für sie gelten.',
  'Current use': 'Aktueller Stand',
  'Windows begin and end by UTC; a week begins on Monday.':
    'Zeitfenster richten sich nach UTC; eine Woche beginnt am Montag.',
  'No limits set': 'Keine Limits festgelegt',
  'You can spend what is on your balance, within the limits of each API key.':
    'Sie können Ihr Guthaben ausgeben, innerhalb der Limits jedes API-Schlüssels.',
  'Each API key': 'Jeder API-Schlüssel',
  'Keys can have monthly spending limits besides, which you set yourself.':
    'Schlüssel können außerdem monatliche Ausgabelimits haben, die Sie selbst festlegen.',
  Limit: 'Limit',
  'Applies to': 'Gilt für',
  Used: 'Verbraucht',
  Left: 'Übrig',
  Resets: 'Neu ab',
  'When a request ends': 'Wenn eine Anfrage endet',
  'The account': 'Das Konto',
  'API key {key}': 'API-Schlüssel {key}',
  'Model {model}': 'Modell {model}',
  'API key {key}, model {model}': 'API-Schlüssel {key}, Modell {model}',
  'Requests at once': 'Gleichzeitige Anfragen',
  '{measure} per {window}': '{measure} je {window}',
  minute: 'Minute',
  '5 hours': '5 Stunden',
  day: 'Tag',
  week: 'Woche',
  month: 'Monat',
};
