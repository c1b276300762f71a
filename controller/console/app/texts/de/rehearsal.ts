import type { RehearsalTexts } from '../rehearsal.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<RehearsalTexts> = {
  title: 'Mit den letzten 30 Tagen testen',
  policyText: 'Zeigt, welche Meldungen die Einstellungen oben für diesen Monitor ausgelöst hätten. Nichts wird gesendet oder gespeichert.',
  destinationText: 'Zeigt, welche Meldungen dieses Ziel mit den Einstellungen oben erhalten hätte, wenn alle Monitore des Projekts es verwendeten. Nichts wird gesendet oder gespeichert.',
  run: 'Testen', cancel: 'Abbrechen', running: 'Ergebnisse von 30 Tagen werden durchgespielt…', cancelled: 'Abgebrochen.',
  tooMuch: 'Dieses Projekt hat zu viele Monitore oder Ausfälle für einen Test. Ein Test umfasst höchstens 100 Monitore, einschließlich derer, von denen sie abhängen.',
  runPart: (count) => `Bis zu ${count} Monitore testen`,
  part: (count) => `Getestete Monitore: ${count}.`,
  outdated: 'Die Einstellungen wurden nach diesem Test geändert.',
  alerts: (count, actual) => `${count} Meldungen statt ${actual}`,
  nothingMissed: 'kein Ausfall wäre ungemeldet geblieben.',
  nothingLonger: (duration) => `kein Ausfall von mehr als ${duration} wäre ungemeldet geblieben.`,
  missed: (count) => `Nicht gemeldete Ausfälle: ${count}`, more: (count) => `Und ${count} weitere.`,
  timeline: 'Meldungen pro Tag', now: 'Aktuelle Einstellungen', changed: 'Neue Einstellungen',
  day: (day, count) => `${day}: ${count}`,
};

export default german;
