import type { WelcomeTexts } from '../welcome.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<WelcomeTexts> = {
  hello: (name) => `Willkommen, ${name}`, later: 'Zu den Monitoren', done: 'erledigt',
  intro: 'Drei Schritte, um von einem Ausfall vor Ihren Besuchern zu erfahren. Jeder lässt sich überspringen und später ändern.',
  watch: 'Die erste Adresse überwachen', tell: 'Wählen, wohin Alarme gehen', from: 'Von einem anderen Ort aus prüfen',
  address: 'Adresse', addressHint: 'Eine Webseite oder API. Sie wird sofort geprüft; noch wird nichts gespeichert.',
  check: 'Jetzt prüfen', watchIt: 'Überwachen', watchAnyway: 'Trotzdem überwachen', moreSettings: 'Mehr Einstellungen',
  otherTypes: 'Etwas anderes überwachen: einen Port, einen Nameserver, einen Rechner, einen Cronjob',
  watched: (name) => `${name} wird jede Minute geprüft.`, see: 'Ansehen', another: 'Etwas anderes überwachen',
  by: 'Über', email: 'E-Mail', slack: 'Slack', webhook: 'Webhook', emailAddress: 'Adresse', url: 'URL',
  emailHint: 'Mehrere mit Kommas dazwischen.', slackHint: 'Ein eingehender Webhook Ihres Workspace.',
  webhookHint: 'Bekommt jeden Alarm als signiertes JSON.',
  createAndSend: 'Speichern und Testalarm senden', sendSample: 'Testalarm senden', sendAgain: 'Noch einen Testalarm senden', change: 'Ändern',
  tells: (address) => `Alle Alarme gehen an ${address}.`,
  delivered: 'Ein Testalarm ist unterwegs. Ist er angekommen? Dann erfahren Sie von Ausfällen.',
  notDelivered: (why) => `Der Testalarm ließ sich nicht zustellen: ${why}`,
  noProbe: 'Keine Probe ist online, also kann nichts geprüft werden. Starten Sie eine:',
  probes: (names) => `Geprüft wird von ${names}. Mit Probes an mehreren Orten ist eine schlechte Leitung noch kein Ausfall.`,
  allProbes: 'Alle Probes',
};

export default german;
