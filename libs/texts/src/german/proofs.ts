/** Proofs of transactions, and the page that checks them. */
export const proofs = {
  Proof: 'Nachweis',
  'Save the proof': 'Nachweis speichern',
  'Check a proof': 'Einen Nachweis prüfen',
  'A proof shows that a transaction is in the ledger, unchanged since its day was closed. Choose the file of a proof, or of a receipt with one. It is checked in your browser and sent nowhere.':
    'Ein Nachweis zeigt, dass eine Buchung im Hauptbuch steht, unverändert seit dem Abschluss ihres Tages. Wählen Sie die Datei eines Nachweises oder eines Belegs, der einen enthält. Sie wird in Ihrem Browser geprüft und nirgendwohin gesendet.',
  'Choose a file': 'Datei auswählen',
  'There is no proof in this file.': 'Diese Datei enthält keinen Nachweis.',
  'The proof holds': 'Der Nachweis stimmt',
  'The proof does not hold': 'Der Nachweis stimmt nicht',
  'This page does not know the version of the entry.': 'Diese Seite kennt die Version der Buchung nicht.',
  'The entry is not that of the transaction.': 'Der Eintrag gehört nicht zu dieser Buchung.',
  'The entry is not of the day of the root.': 'Der Eintrag ist nicht vom Tag der Wurzel.',
  'The entry is not in the root.': 'Der Eintrag ist nicht in der Wurzel enthalten.',
  'The root is not signed.': 'Die Wurzel ist nicht signiert.',
  'The signature is wrong.': 'Die Signatur ist falsch.',
  'The root was signed with another key.': 'Die Wurzel wurde mit einem anderen Schlüssel signiert.',
  'Your browser cannot check the signature. Try a newer one.':
    'Ihr Browser kann die Signatur nicht prüfen. Versuchen Sie es mit einem neueren.',
  'The root is not the one that is published here.': 'Die Wurzel ist nicht die, die hier veröffentlicht ist.',
  'The published roots are not one chain.': 'Die veröffentlichten Wurzeln bilden keine Kette.',
  '{amount} at {time}, and {balance} on the balance after it':
    '{amount} am {time}, danach {balance} Guthaben',
  'The published roots could not be loaded: the root was not compared with them.':
    'Die veröffentlichten Wurzeln konnten nicht geladen werden: Die Wurzel wurde nicht mit ihnen verglichen.',
  'Public key: {key}': 'Öffentlicher Schlüssel: {key}',
};
