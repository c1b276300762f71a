import type { MaintenanceTexts } from '../maintenance.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<MaintenanceTexts> = {
  title: 'Wartung', plan: 'Wartung planen', list: 'Liste', calendar: 'Kalender', none: 'Keine Wartung geplant',
  noneText: 'Planen Sie Wartungen im Voraus, um Alarme während der Arbeit zurückzuhalten und Besucher Ihrer Statusseiten zu informieren.', scheduled: 'Geplant', active: 'Läuft',
  over: 'Beendet', next: 'Nächste', repeats: 'Wiederholt sich', monitors: 'Monitore', pages: 'Statusseiten', state: 'Zustand', window: 'Wartung',
  month: 'Monat', previousMonth: 'Voriger Monat', nextMonth: 'Nächster Monat', today: 'Heute', name: 'Titel', description: 'Beschreibung',
  starts: 'Beginn', ends: 'Ende', zone: 'Zeitzone', zoneHint: 'Ortszeiten bleiben bei einer Zeitumstellung gleich.',
  repeat: 'Wiederholung', once: 'Keine', DAILY: 'Jeden Tag', WEEKLY: 'Jede Woche', MONTHLY: 'Jeden Monat', YEARLY: 'Jedes Jahr',
  custom: 'Eigene Regel', on: 'Am', monthDay: (day) => `Am ${day}. des Monats`,
  nthDay: (nth, day) => `Am ${nth} ${day} des Monats`, lastDay: (day) => `Am letzten ${day} des Monats`,
  every: 'Alle', everyHint: '1 = jedes Mal, 2 = jedes zweite Mal', rule: 'Regel', ruleHint: 'Eine iCalendar-RRULE mit höchstens einem Termin pro Tag.',
  times: 'Anzahl der Termine', hold: 'Alarme während der Wartung zurückhalten',
  holdHint: 'Monitore, die am Ende noch ausgefallen sind, lösen dann Alarme aus.', nextTimes: 'Nächste Termine', save: 'Speichern',
  cancel: 'Abbrechen', remove: 'Löschen', removeTitle: (title) => `„${title}“ löschen?`,
  removeText: 'Wenn die Wartung läuft, endet sie jetzt und zurückgehaltene Alarme werden gesendet.', saved: 'Gespeichert', removed: 'Gelöscht', back: 'Alle Wartungen',
  search: 'Monitore suchen', chosen: (count) => `${count} ausgewählt`, noPages: 'Noch keine Statusseiten.',
  noMonitors: 'Noch keine Monitore.', more: (count) => `${count} weitere`, first: 'ersten', second: 'zweiten', third: 'dritten', fourth: 'vierten',
  weekdays: 'Wochentage', showFinished: 'Vergangene Wartungen anzeigen', noOccurrence: 'Dieser Plan hat keine Termine.',
};

export default german;
