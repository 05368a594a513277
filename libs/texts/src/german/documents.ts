/** Invoices, receipts, credit notes, and the details on them. */
export const documents = {
  Invoices: 'Rechnungen',
  'Invoice {number}': 'Rechnung {number}',
  Issued: 'Ausgestellt',
  PDF: 'PDF',
  '{number} as PDF': '{number} als PDF',
  'Download PDF': 'PDF herunterladen',
  'No invoices yet': 'Noch keine Rechnungen',
  'Each month in which something was charged gets one after its end.':
    'Jeder Monat, in dem etwas berechnet wurde, erhält nach seinem Ende eine.',
  'Refund, {model}': 'Erstattung, {model}',
  'Price of 1M tokens': 'Preis für 1 Mio. Tokens',
  'Lines of the invoice': 'Posten der Rechnung',
  'Exact sum of the lines': 'Genaue Summe der Posten',
  'Paid from the balance. {amount} was added to it in that month.':
    'Aus dem Guthaben bezahlt. In diesem Monat wurden {amount} aufgeladen.',
  '{price} prompt': '{price} Prompt',
  '{price} completion': '{price} Antwort',
  '{price} cached': '{price} aus dem Cache',
  '{price} cache writes': '{price} in den Cache',
  '{price} reasoning': '{price} Überlegung',
  '{price} an image': '{price} je Bild',
  '{price} a request': '{price} je Anfrage',
  'from {day}: {prices}': 'ab {day}: {prices}',
  'above {count} prompt tokens: {prices}': 'über {count} Prompt-Tokens: {prices}',
  'Tax id: {id}': 'Steuernummer: {id}',

  Receipts: 'Belege',
  Paid: 'Bezahlt',
  'Credited by the operator': 'Gutgeschrieben vom Betreiber',
  'No receipts yet': 'Noch keine Belege',
  'Each top-up gets one at once.': 'Jede Aufladung erhält sofort einen.',

  'Credit notes': 'Gutschriften',
  Of: 'Zu',
  'No credit notes': 'Keine Gutschriften',
  'A payment that is taken back, and a charge that is given back after its invoice, get one.':
    'Eine zurückgenommene Zahlung und eine nach ihrer Rechnung erstattete Belastung erhalten eine.',

  'Billing details': 'Rechnungsangaben',
  'On invoices, receipts and credit notes from now on. Those that exist never change.':
    'Von nun an auf Rechnungen, Belegen und Gutschriften. Vorhandene ändern sich nie.',
  'Your billing details are saved.': 'Ihre Rechnungsangaben sind gespeichert.',
  'Legal name': 'Rechtlicher Name',
  'The company or person that is billed': 'Die Firma oder Person, die die Rechnung erhält',
  'Billing e-mail': 'E-Mail für Rechnungen',
  'On documents, instead of your own': 'Auf Dokumenten, statt Ihrer eigenen',
  Address: 'Anschrift',
  'In at most eight lines, without the country': 'In höchstens acht Zeilen, ohne das Land',
  'No country': 'Kein Land',
  'Tax id': 'Steuernummer',
  'Purchase order': 'Bestellnummer',
};
