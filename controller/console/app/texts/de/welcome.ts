import type { WelcomeTexts } from '../welcome.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<WelcomeTexts> = {
  hello: (name) => `Willkommen, ${name}`, later: 'Zu den Monitoren', done: 'erledigt',
  intro: 'Richten Sie die Überwachung in drei Schritten ein. Sie können jeden überspringen und alles später ändern.',
  addMonitor: 'Ersten Monitor hinzufügen', addDestination: 'Festlegen, wohin Alarme gehen', addProbe: 'Von einem anderen Ort aus prüfen',
  address: 'Adresse', addressHint: 'Die URL einer Website oder API. Wir prüfen sie, ohne etwas zu speichern.',
  check: 'Jetzt prüfen', createMonitor: 'Monitor anlegen', createAnyway: 'Monitor trotzdem anlegen', moreSettings: 'Mehr Einstellungen',
  otherTypes: 'Etwas anderes überwachen, zum Beispiel einen Port, Host, DNS-Eintrag oder Cronjob',
  monitored: (name) => `${name} wird jede Minute geprüft.`, viewMonitor: 'Monitor ansehen', another: 'Weiteren Monitor hinzufügen',
  channel: 'Senden per', email: 'E-Mail', slack: 'Slack', webhook: 'Webhook', emailAddress: 'Adresse', url: 'URL',
  emailHint: 'Mehrere Adressen mit Kommas trennen.', slackHint: 'Die URL eines eingehenden Webhooks in Ihrem Workspace.',
  webhookHint: 'Erhält jeden Alarm als signiertes JSON.',
  otherDestinations: 'Alarme woandershin senden, zum Beispiel an Teams, Discord, Telegram, PagerDuty oder ein Telefon',
  createAndSend: 'Speichern und Testalarm senden', sendSample: 'Testalarm senden', sendAgain: 'Weiteren Testalarm senden', change: 'Ändern',
  alertsGoTo: (address) => `Alle Alarme gehen an ${address}.`,
  delivered: 'Testalarm gesendet. Wenn er ankommt, kommen auch Alarme bei Ausfällen an.',
  notDelivered: (why) => `Der Testalarm konnte nicht zugestellt werden: ${why}`,
  noProbe: 'Keine Probe ist online, deshalb kann nichts geprüft werden. Starten Sie eine:',
  probes: (names) => `Geprüft wird von ${names}. Mit Probes an mehreren Orten sieht eine schlechte Netzverbindung nicht wie ein Ausfall aus.`,
  allProbes: 'Alle Probes',
};

export default german;
