/** Invoices, receipts, credit notes, and the details on them. */
export const documents = {
  Invoices: 'Rechnungen',
  'Invoice {number}': 'Rechnung {number}',
  Issued: 'Ausgestellt',
  PDF: 'PDF',
  '{number} as PDF': '{number} als PDF',
  'Download PDF': 'PDF herunterladen',
  'No invoices yet': 'Noch keine Rechnungen',
  'You get one after each month in which something was charged.':
    'Sie erhalten eine nach jedem Monat, in dem etwas berechnet wurde.',
  'Refund, {model}': 'Erstattung, {model}',
  'Price per 1M tokens': 'Preis für 1 Mio. Tokens',
  'Lines of the invoice': 'Posten der Rechnung',
  'Exact sum of the lines': 'Genaue Summe der Posten',
  'Paid from the balance. {amount} was added to it in that month.':
    'Aus dem Guthaben bezahlt. In diesem Monat wurden {amount} aufgeladen.',
  '{price} prompt': '{price} Prompt',
  '{price} completion': '{price} Antwort',
  '{price} cached': '{price} aus dem Cache',
  '{price} cache writes': '{price} in den Cache',
  '{price} reasoning': '{price} Überlegung',
  'from {day}: {prices}': 'ab {day}: {prices}',
  'above {count} prompt tokens: {prices}': 'über {count} Prompt-Tokens: {prices}',
  'Tax id: {id}': 'Steuernummer: {id}',

  Receipts: 'Belege',
  Paid: 'Bezahlt',
  'Credited by the operator': 'Gutgeschrieben vom Betreiber',
  'No receipts yet': 'Noch keine Belege',
  'You get one for each top-up.': 'Sie erhalten einen für jede Aufladung.',

  'Credit notes': 'Gutschriften',
  For: 'Zu',
  'No credit notes': 'Keine Gutschriften',
  'You get one when a payment is taken back, or when a charge is refunded after its invoice.':
    'Sie erhalten eine, wenn eine Zahlung zurückgenommen oder eine Belastung nach ihrer Rechnung erstattet wird.',

  'Billing details': 'Rechnungsangaben',
  'Used on invoices, receipts and credit notes from now on. Existing ones never change.':
    'Für Rechnungen, Belege und Gutschriften von nun an. Vorhandene ändern sich nie.',
  'Your billing details are saved.': 'Ihre Rechnungsangaben sind gespeichert.',
  'Legal name': 'Rechtlicher Name',
  'The company or person that is billed': 'Die Firma oder Person, die die Rechnung erhält',
  'Billing e-mail': 'E-Mail für Rechnungen',
  'On documents, instead of your own address': 'Auf Dokumenten, statt Ihrer eigenen Adresse',
  Address: 'Anschrift',
  'In at most eight lines, without the country': 'In höchstens acht Zeilen, ohne das Land',
  'No country': 'Kein Land',
  'Tax id': 'Steuernummer',
  'Purchase order': 'Bestellnummer',
};
