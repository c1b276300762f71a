import type { MaintenanceTexts } from '../maintenance.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<MaintenanceTexts> = {
  title: 'Wartung', plan: 'Wartung planen', list: 'Liste', calendar: 'Kalender', none: 'Keine Wartung geplant',
  noneLong: 'Planen Sie sie vorher: Dann wird niemand geweckt, und Ihre Statusseiten sagen, warum.', scheduled: 'Geplant', active: 'Läuft',
  over: 'Vorbei', next: 'Nächste', repeats: 'Wiederholt sich', monitors: 'Monitore', pages: 'Statusseiten', state: 'Zustand', window: 'Wartung',
  month: 'Monat', previousMonth: 'Voriger Monat', nextMonth: 'Nächster Monat', today: 'Heute', name: 'Titel', description: 'Beschreibung',
  starts: 'Beginn', ends: 'Ende', zone: 'Zeitzone', zoneHint: 'In ihr bleibt die Uhrzeit gleich, wenn die Uhren umgestellt werden',
  repeat: 'Wiederholung', once: 'Keine', DAILY: 'Jeden Tag', WEEKLY: 'Jede Woche', MONTHLY: 'Jeden Monat', YEARLY: 'Jedes Jahr',
  custom: 'Nach eigener Regel', on: 'Am', monthDay: (day) => `Am ${day}. des Monats`,
  nthDay: (nth, day) => `Am ${nth} ${day} des Monats`, lastDay: (day) => `Am letzten ${day} des Monats`,
  every: 'Alle', everyHint: '1: jedes Mal', rule: 'Regel', ruleHint: 'Eine RRULE von iCalendar mit höchstens einem Termin am Tag',
  times: 'Nach so vielen Malen', hold: 'Alarme bis zum Ende zurückhalten',
  holdHint: 'Was dann noch ausgefallen ist, wird gemeldet. Sonst werden Alarme wie immer verschickt.', nextTimes: 'Wann sie stattfindet', save: 'Speichern',
  cancel: 'Abbrechen', remove: 'Löschen', removeAsk: (title) => `„${title}“ löschen?`,
  removeLong: 'Läuft sie gerade, endet sie jetzt: Zurückgehaltene Alarme werden verschickt.', saved: 'Gespeichert', removed: 'Gelöscht', back: 'Alle Wartungen',
  search: 'Monitore finden', chosen: (count) => `${count} ausgewählt`, noPages: 'Es gibt noch keine Statusseiten.',
  noMonitors: 'Noch keine Monitore.', more: (count) => `${count} weitere`, first: 'ersten', second: 'zweiten', third: 'dritten', fourth: 'vierten',
  weekdays: 'Wochentage', past: 'Vergangene zeigen', noOccurrence: 'Sie findet nie statt.',
};

export default german;
