import type { RehearsalTexts } from '../rehearsal.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<RehearsalTexts> = {
  title: 'Mit den letzten 30 Tagen ausprobieren',
  policyText: 'Spielt die gespeicherten Ergebnisse dieses Monitors mit den Einstellungen oben durch. Nichts wird gesendet oder gespeichert.',
  destinationText: 'Spielt die gespeicherten Ergebnisse der Monitore dieses Projekts mit den Einstellungen oben durch, als gingen alle ihre Meldungen hierher. Nichts wird gesendet oder gespeichert.',
  run: 'Ausprobieren', cancel: 'Abbrechen', running: 'Die Ergebnisse von 30 Tagen werden durchgespielt…', cancelled: 'Abgebrochen.',
  tooMuch: 'Dieses Projekt hat zu viele Monitore oder Ausfälle, um alle auf einmal auszuprobieren: höchstens 100 Monitore, einschließlich derer, von denen sie abhängen.',
  runPart: (count) => `Mit bis zu ${count} Monitoren ausprobieren`,
  part: (count) => `Ausprobierte Monitore: ${count}.`,
  outdated: 'Die Einstellungen wurden seitdem geändert.',
  alerts: (count, actual) => `${count} Meldungen statt ${actual}`,
  nothingMissed: 'kein Ausfall bliebe ungemeldet.',
  nothingLonger: (duration) => `kein Ausfall von mehr als ${duration} bliebe ungemeldet.`,
  missed: (count) => `Nicht gemeldete Ausfälle: ${count}`, more: (count) => `Und ${count} weitere.`,
  timeline: 'Meldungen pro Tag', now: 'Mit den heutigen Einstellungen', changed: 'Mit diesen Einstellungen',
  day: (day, count) => `${day}: ${count}`,
};

export default german;
