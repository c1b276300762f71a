import type { WelcomeTexts } from '../welcome.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<WelcomeTexts> = {
  hello: (name) => `Willkommen, ${name}`, later: 'Zu den Monitoren', done: 'erledigt',
  intro: 'Richten Sie die Überwachung in drei Schritten ein. Sie können jeden überspringen und alles später ändern.',
  addMonitor: 'Ersten Monitor hinzufügen', addDestination: 'Festlegen, wohin Alarme gehen', addProbe: 'Von einem anderen Ort aus prüfen',
  address: 'Adresse', addressHint: 'Eine Website oder API. Sie wird sofort geprüft; gespeichert wird noch nichts.',
  check: 'Jetzt prüfen', createMonitor: 'Überwachen', createAnyway: 'Trotzdem überwachen', moreSettings: 'Mehr Einstellungen',
  otherTypes: 'Etwas anderes überwachen: einen Port, einen Nameserver, einen Rechner, einen Cronjob',
  monitored: (name) => `${name} wird jede Minute geprüft.`, viewMonitor: 'Monitor ansehen', another: 'Etwas anderes überwachen',
  channel: 'Über', email: 'E-Mail', slack: 'Slack', webhook: 'Webhook', emailAddress: 'Adresse', url: 'URL',
  emailHint: 'Mehrere Adressen mit Kommas trennen.', slackHint: 'Ein eingehender Webhook Ihres Workspace.',
  webhookHint: 'Bekommt jeden Alarm als signiertes JSON.',
  createAndSend: 'Speichern und Testalarm senden', sendSample: 'Testalarm senden', sendAgain: 'Noch einen Testalarm senden', change: 'Ändern',
  alertsGoTo: (address) => `Alle Alarme gehen an ${address}.`,
  delivered: 'Wir haben einen Testalarm gesendet. Kommt er an, erfahren Sie auch von Ausfällen.',
  notDelivered: (why) => `Der Testalarm ließ sich nicht zustellen: ${why}`,
  noProbe: 'Keine Probe ist online, deshalb kann nichts geprüft werden. Starten Sie eine:',
  probes: (names) => `Geprüft wird von ${names}. Mit Probes an mehreren Orten sieht eine schlechte Netzverbindung nicht wie ein Ausfall aus.`,
  allProbes: 'Alle Probes',
};

export default german;
