import type { FleetTexts } from '../fleet.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<FleetTexts> = {
  title: 'Probes', probes: 'Probes', regions: 'Regionen', addProbe: 'Probe hinzufügen', addRegion: 'Region hinzufügen', probe: 'Probe',
  region: 'Region', state: 'Zustand', monitors: 'Monitore', load: 'Last', lateness: 'Verzug', missed: 'Entfallen', lost: 'Verloren',
  spool: 'Spool', clock: 'Uhr', version: 'Version', lastSeen: 'Zuletzt aktiv', never: 'nie', enrolling: 'Registrierung', online: 'Online',
  offline: 'Offline', draining: 'Wird geleert', quarantined: 'In Quarantäne', none: 'Noch keine Probes',
  noneText: 'Eine Probe ist ein kleines Programm, das von seinem Standort aus prüft. Fügen Sie eine in der Nähe Ihrer Nutzer hinzu.',
  name: 'Name', nameHint: 'Zum Beispiel der Hostname der Maschine.', newRegion: 'Neue Region …', id: 'Kurzname',
  idHint: '2–32 Kleinbuchstaben, Ziffern und Bindestriche. Später nicht änderbar.', city: 'Stadt', country: 'Land',
  countryHint: 'Zum Beispiel ES oder Spanien.', lat: 'Breitengrad', lon: 'Längengrad', create: 'Anlegen', cancel: 'Abbrechen', enrol: 'Probe starten',
  enrolText: 'Führen Sie diesen Befehl auf der Maschine, auf der die Probe laufen soll, in einer Kopie von Farwatch aus. Node.js ist erforderlich. Das Token gilt einmal und läuft nach 15 Minuten ab.',
  command: 'Befehl, der die Probe startet', waiting: 'Warten, bis die Probe online ist …', isOnline: (name) => `${name} ist online`,
  done: 'Fertig', drain: 'Leeren', undrain: 'Nicht mehr leeren', rotate: 'Schlüssel ersetzen', revoke: 'Widerrufen',
  revokeTitle: (name) => `${name} widerrufen?`, revokeText: 'Die Verbindung der Probe endet innerhalb einer Sekunde, und ihre Monitore ziehen zu anderen Probes um. Das lässt sich nicht rückgängig machen.',
  rotateTitle: (name) => `Schlüssel von ${name} ersetzen?`, rotateText: 'Die Probe erzeugt neue Schlüssel und arbeitet ohne Unterbrechung weiter. Die alten gelten dann nicht mehr.',
  drained: 'Wird geleert', undrained: 'Wird nicht mehr geleert', rotated: 'Die Probe ersetzt ihre Schlüssel, wenn sie sich das nächste Mal meldet', revoked: 'Widerrufen',
  capabilities: 'Prüfungstypen', provider: 'Anbieter', asn: 'Autonomes System', addresses: 'Adressen',
  created: 'Hinzugefügt', keys: 'Schlüssel ersetzt', quarantine: 'Grund der Quarantäne', since: 'Seit', back: 'Alle Probes',
  networkHint: 'Probes mit demselben Anbieter oder autonomen System teilen sich eine Stimme.', saved: 'Gespeichert', save: 'Speichern', edit: 'Bearbeiten',
  visibility: 'Verfügbar für', shared: 'alle Organisationen', private: 'diese Organisation', deleteRegion: 'Löschen', regionDeleted: 'Gelöscht',
  deleteRegionTitle: (name) => `Die Region ${name} löschen?`, deleteRegionText: 'Monitore dieser Region laufen in anderen Regionen weiter.',
  noRegions: 'Noch keine Regionen', map: (points) => `Standorte der Probes. ${points}`, noProbe: 'keine Probe',
  actionsOf: (name) => `Aktionen für ${name}`, probesOnline: 'Probes online',
  assignedMonitors: 'Zugeteilte Monitore', monitor: 'Monitor', type: 'Art', search: 'Nach Name oder Ziel suchen',
  ofProject: (count) => `${count} in diesem Projekt`, ofOthers: (count) => `${count} in anderen Projekten`,
  replace: 'Die private Region mit diesem Kurznamen ersetzen',
  replaceHint: 'Löscht die Region jener Organisation samt ihren Probes.',
  found: (count) => `${count} gefunden`, showMore: (count) => `Mehr anzeigen (${count})`,
};

export default german;
