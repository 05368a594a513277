/** The balance, its changes and the statements. */
export const billing = {
  'Prepaid: you can only spend what is on your balance.':
    'Prepaid: Sie geben nur aus, was als Guthaben vorhanden ist.',
  'Parts of billing': 'Teile der Abrechnung',
  'For requests under way': 'Für laufende Anfragen',
  'Available and held together': 'Verfügbares und Reserviertes zusammen',

  Transactions: 'Buchungen',
  'Type of transaction': 'Art der Buchung',
  'All types': 'Alle Arten',
  'Transactions as CSV': 'Buchungen als CSV',
  'No transactions': 'Keine Buchungen',
  'Payments, charges and refunds are listed here, unless the filter excludes them.':
    'Hier stehen Zahlungen, Belastungen und Erstattungen, sofern der Filter sie nicht ausschließt.',
  'Top-up': 'Aufladung',
  Charge: 'Belastung',
  Refund: 'Erstattung',
  Adjustment: 'Korrektur',
  'Balance after': 'Guthaben danach',

  Statements: 'Kontoauszüge',
  'Months in UTC. The opening balance and everything after it add up to the closing balance.':
    'Monate in UTC. Der Anfangsstand und alles Folgende ergeben den Endstand.',
  'Opening balance': 'Anfangsstand',
  'Top-ups': 'Aufladungen',
  Refunds: 'Erstattungen',
  Adjustments: 'Korrekturen',
  'Closing balance': 'Endstand',
  '{month}, so far': '{month}, bis jetzt',
  'Statement of {month} as CSV': 'Kontoauszug für {month} als CSV',
  'No statements yet': 'Noch keine Kontoauszüge',
  'You get one for each month from your first payment on.':
    'Ab Ihrer ersten Zahlung erhalten Sie für jeden Monat einen.',

  'Low balance': 'Niedriges Guthaben',
  'You get a mail when less than this is available.':
    'Sie erhalten eine E-Mail, wenn weniger als dieser Betrag verfügbar ist.',
  'You get no mail about a low balance.': 'Sie erhalten keine E-Mail über niedriges Guthaben.',
  'You get a mail when less than {amount} is available.':
    'Sie erhalten eine E-Mail, wenn weniger als {amount} verfügbar sind.',
  'Amount below which you get a mail': 'Betrag, unter dem Sie eine E-Mail erhalten',
  'No mail': 'Keine E-Mail',
  'Dollars, like 5 or 2.50': 'Dollar, zum Beispiel 5 oder 2,50',
};
