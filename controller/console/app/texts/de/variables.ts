import type { Translation } from '../catalogue.ts';
import type { VariableTexts } from '../variables.ts';

const german: Translation<VariableTexts> = {
  title: 'Variablen', newVariable: 'Neue Variable', name: 'Name', value: 'Wert', usedBy: 'Verwendet von', actions: 'Aktionen', create: 'Anlegen',
  text: (project) => `Hosts, Token und Passwörter, die Monitore in ${project} gemeinsam haben. Ein Monitor verwendet sie als {{name}}.`,
  none: 'Noch keine Variablen', noneText: 'Legen Sie eine an, um denselben Wert in mehreren Monitoren zu verwenden oder ein Token geheim zu halten.',
  secret: 'Geheim', secretHint: 'Wird verschlüsselt und nie wieder angezeigt.', hidden: 'Verborgen', unused: 'Nicht verwendet', empty: 'Leer',
  nameHint: 'Kleinbuchstaben, Ziffern und Unterstriche; beginnt mit einem Buchstaben.', isUsed: 'Lässt sich nicht ändern, solange Monitore sie verwenden.',
  keepsValue: 'Leer lassen, um den gespeicherten Wert zu behalten.', readableValue: 'Geben Sie den Wert noch einmal ein, um ihn lesbar zu machen.',
  valueHint: 'Probes erhalten einen neuen Wert sofort.', more: (count) => `und ${count} weiteren`,
  edit: 'Bearbeiten', editOf: (name) => `${name} bearbeiten`, deleteOf: (name) => `${name} löschen`,
  deleteText: 'Nur eine Variable, die kein Monitor verwendet, lässt sich löschen.', saved: 'Gespeichert',
  use: 'Sie können Variablen im Ziel, in Headern, im Body, in Zugangsdaten und in Schlüsselwörtern verwenden:',
  manage: 'Variablen verwalten', createFirst: 'Speichern Sie Werte, die Monitore gemeinsam haben, etwa Token, in Variablen: schreiben Sie {{name}}.',
};

export default german;
