import type { PageTexts } from '../pages.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<PageTexts> = {
  title: 'Statusseiten', page: 'Seite', newPage: 'Neue Statusseite', none: 'Noch keine Statusseite', back: 'Alle Statusseiten',
  noneLong: 'Eine Statusseite sagt Ihren Kunden, wie es um Ihre Monitore steht und was Sie bei Störungen tun.',
  state: 'Zustand', draft: 'Entwurf', published: 'Veröffentlicht', archived: 'Archiviert', monitors: 'Monitore', subscribers: 'Abonnenten',
  views7d: 'Aufrufe in 7 Tagen', views: (day, month) => `${day} Aufrufe in 24 Stunden, ${month} in 30 Tagen`,
  create: 'Anlegen', created: 'Angelegt. Niemand sieht sie, bevor sie veröffentlicht ist.', name: 'Name', subdomain: 'Subdomain',
  subdomainHint: '3 bis 63 aus a–z, 0–9 und Bindestrichen. Später nicht änderbar.', saved: 'Gespeichert', more: 'Mehr',
  publish: 'Veröffentlichen', unpublish: 'Zum Entwurf machen', archive: 'Archivieren', deleteOf: (name) => `${name} löschen?`,
  deleteLong: (name) => `Die Adresse gilt sofort nicht mehr. Zum Bestätigen „${name}“ eingeben.`,
  preview: 'Vorschau', noPreview: 'Die Vorschau konnte nicht gelesen werden.',
  noMonitors: 'Noch sieht niemand einen Monitor.', addMonitor: 'Monitor hinzufügen', choose: 'Auswählen …', displayName: 'Gezeigt als',
  group: 'Gruppe', visible: 'Sichtbar', shownAs: (name) => `Name von ${name} auf der Seite`, groupOf: (name) => `Gruppe von ${name}`,
  upOf: (name) => `${name} nach oben`, downOf: (name) => `${name} nach unten`, removeOf: (name) => `${name} von der Seite nehmen`,
  settings: 'Einstellungen', description: 'Beschreibung', timezone: 'Zeitzone', indexed: 'Suchmaschinen dürfen sie zeigen', shown: 'Was sie zeigt',
  uptime: 'Verfügbarkeit', timeframes: 'Verfügbarkeit von', responseTimes: 'Antwortzeiten', maintenanceCounts: 'Wartung zählt als Ausfall',
  historyDays: 'Vorfälle der letzten', days: 'Tage', automatic: 'Automatische Meldungen', autoPublish: 'Vorfälle melden, die Prüfungen eröffnen',
  autoPublishHint: 'Nur von Monitoren, die die Seite zeigt.', ofSeverity: 'Von Schwere', critical: 'Kritisch', major: 'Schwer', minor: 'Leicht',
  branding: 'Aussehen', scheme: 'Darstellung', system: 'Wie beim Leser', light: 'Hell', dark: 'Dunkel', ownColor: 'Eigene Farbe', color: 'Farbe',
  logo: 'Logo', imageHint: 'Adresse eines Bildes, mit https.', favicon: 'Symbol', header: 'Text darüber', footer: 'Text darunter', css: 'Eigenes CSS',
  cssHint: 'Farben, Schriften, Ränder und Abstände. Es kann nichts laden.',
  domain: 'Eigene Domain', domainHint: 'Leer: Die Seite hat keine.', verification: 'Bestätigung', verified: 'Bestätigt', notVerified: 'Nicht bestätigt',
  records: 'Einer dieser Einträge im DNS genügt:', verify: 'DNS jetzt prüfen',
  posts: 'Meldungen', newPost: 'Neue Meldung', post: 'Melden', posted: 'Gemeldet', noPosts: 'Keine Meldungen', postTitle: 'Titel', message: 'Nachricht',
  noPostsLong: 'Meldungen sagen Lesern, was gestört ist und was Sie tun.', newPostLong: 'Leser sehen sie sofort, Abonnenten werden benachrichtigt.',
  severity: 'Schwere', affected: 'Betroffene Monitore', update: 'Neuen Stand melden', automaticPost: 'automatisch', investigating: 'Wird untersucht',
  identified: 'Ursache gefunden', monitoring: 'Wird beobachtet', resolved: 'Behoben', deletePostLong: 'Sie verschwindet von der Seite und aus den Feeds.',
  showMore: 'Mehr zeigen', searchAddress: 'Teil der Adresse', all: 'Alle', unverified: 'Nicht bestätigt', unsubscribed: 'Abgemeldet',
  address: 'Adresse', wants: 'Wünscht', since: 'Seit', webhook: 'Webhook', allIncidents: 'alle Vorfälle', criticalIncidents: 'kritische Vorfälle',
  maintenance: 'Wartung', immediate: 'sofort', hourly: 'stündlich', daily: 'täglich', noSubscribers: 'Keine Abonnenten',
  chooseAll: 'Alle auswählen', chooseOne: (email) => `${email} auswählen`, chosen: (count) => `${count} ausgewählt`,
  notify: 'Nachricht senden', notifySome: (count) => `Nachricht an ${count} senden`, subject: 'Betreff', export: 'Als CSV exportieren',
  notifyLong: 'Nur wer bestätigt und sich nicht abgemeldet hat, bekommt sie.',
  deleteSubscribers: (count) => `${count} Abonnenten löschen?`, deleteSubscribersLong: 'Sie erfahren nichts mehr.',
};

export default german;
