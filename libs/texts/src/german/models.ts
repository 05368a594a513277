export const models = {
  'The models that your account may use, with prices in US dollars per million tokens.':
    'Die Modelle, die Ihr Konto verwenden darf, mit Preisen in US-Dollar je Million Tokens.',
  'No models yet': 'Noch keine Modelle',
  'No model is offered to your account. Ask the operator.':
    'Ihrem Konto wird keines angeboten. Wenden Sie sich an den Betreiber.',
  'Context and output are counted in tokens. A new price applies to requests that begin after it.':
    'Kontext und Ausgabe werden in Tokens gezählt. Ein neuer Preis gilt für Anfragen, die danach beginnen.',
  'Search the models': 'Modelle durchsuchen',
  'Name of a model': 'Name eines Modells',
  '{count, plural, one {# model} other {# models}}': '{count, plural, one {# Modell} other {# Modelle}}',
  '{part} of {count, plural, one {# model} other {# models}}':
    '{part} von {count, plural, one {# Modell} other {# Modellen}}',
  Embeddings: 'Embeddings',
  'Input / 1M': 'Eingabe / 1 Mio.',
  'Output / 1M': 'Ausgabe / 1 Mio.',
  'Other prices': 'Weitere Preise',
  'Maximum output': 'Größte Ausgabe',
  text: 'Text',
  image: 'Bild',
  file: 'Datei',
  '{price} cached input / 1M': '{price} Eingabe aus dem Cache / 1 Mio.',
  '{price} cache writes / 1M': '{price} in den Cache / 1 Mio.',
  '{price} reasoning / 1M': '{price} Überlegung / 1 Mio.',
  '{price} per image': '{price} je Bild',
  '{price} per request': '{price} je Anfrage',
  '{input} / {output} above {count}': '{input} / {output} über {count}',
  'Create one': 'Einen erstellen',
};
