import type { FleetTexts } from '../fleet.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<FleetTexts> = {
  title: 'Probes', probes: 'Probes', regions: 'Regionen', addProbe: 'Probe hinzufügen', addRegion: 'Region hinzufügen', probe: 'Probe',
  region: 'Region', state: 'Zustand', monitors: 'Monitore', load: 'Last', lateness: 'Verspätung', missed: 'Versäumt', lost: 'Verloren',
  spool: 'Speicher', clock: 'Uhr', version: 'Version', seen: 'Zuletzt gemeldet', never: 'nie', enrolling: 'Wird aufgenommen', online: 'Online',
  offline: 'Offline', draining: 'Gibt Arbeit ab', quarantined: 'In Quarantäne', none: 'Noch keine Probes',
  noneLong: 'Eine Probe ist ein kleines Programm, das von dort prüft, wo Sie es starten. Stellen Sie eine dorthin, wo Ihre Nutzer sind.',
  name: 'Name', nameHint: 'So, wie Sie die Maschine nennen', newRegion: 'Eine neue Region …', id: 'Kurzname',
  idHint: '2 bis 32 Kleinbuchstaben, Ziffern und Bindestriche; später nicht zu ändern', city: 'Stadt', country: 'Land',
  countryHint: 'Etwa ES oder Spanien', lat: 'Breite', lon: 'Länge', create: 'Anlegen', cancel: 'Abbrechen', enrol: 'Dort starten',
  enrolLong: 'Führen Sie dies dort aus, wo die Probe laufen soll, in einer Kopie von Farwatch mit Node.js, innerhalb von 15 Minuten. Das Token gilt einmal.',
  command: 'Befehl, der die Probe startet', waiting: 'Warten, bis sie online ist …', isOnline: (name) => `${name} ist online`,
  done: 'Fertig', drain: 'Arbeit abgeben', undrain: 'Wieder Arbeit geben', rotate: 'Schlüssel wechseln', revoke: 'Widerrufen',
  revokeAsk: (name) => `${name} widerrufen?`, revokeLong: 'Die Verbindung endet innerhalb einer Sekunde, und die Monitore ziehen zu anderen Probes um. Sie kann nicht zurückkommen.',
  rotateAsk: (name) => `Schlüssel von ${name} wechseln?`, rotateLong: 'Die Probe macht neue Schlüssel und arbeitet ohne Lücke weiter; die alten enden.',
  drained: 'Sie gibt ihre Arbeit ab', undrained: 'Sie bekommt wieder Arbeit', rotated: 'Beim nächsten Lebenszeichen macht sie neue Schlüssel', revoked: 'Widerrufen',
  capabilities: 'Kann prüfen', provider: 'Anbieter', asn: 'Autonomes System', addresses: 'Adressen',
  created: 'Hinzugefügt', keys: 'Schlüssel gewechselt', quarantine: 'Warum sie in Quarantäne ist', since: 'Seit', back: 'Alle Probes',
  networkHint: 'Probes desselben Anbieters oder Systems haben zusammen eine Stimme', saved: 'Gespeichert', save: 'Speichern', edit: 'Bearbeiten',
  visibility: 'Für', shared: 'alle hier', private: 'diese Organisation', deleteRegion: 'Löschen', regionDeleted: 'Gelöscht',
  deleteRegionAsk: (name) => `Die Region ${name} löschen?`, deleteRegionLong: 'Monitore, die sie nennen, laufen anderswo weiter.',
  noRegions: 'Noch keine Regionen', map: (points) => `Wo die Probes sind. ${points}`, noProbe: 'keine Probe',
  actionsOf: (name) => `Aktionen für ${name}`, probesOnline: 'Probes online',
  runs: 'Was sie prüft', monitor: 'Monitor', type: 'Art', search: 'Nach Name oder Ziel suchen',
  ofProject: (count) => `${count} aus diesem Projekt`, ofOthers: (count) => `${count} von anderen`,
  replace: 'Die private Region mit diesem Kurznamen ersetzen',
  replaceHint: 'Löscht die Region der Organisation, der sie gehört, samt ihren Probes.',
  found: (count) => `${count} gefunden`, showMore: (count) => `Mehr zeigen (${count})`,
};

export default german;
