import type { ChangeTexts } from '../changes.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<ChangeTexts> = {
  changes: 'Änderungen', none: 'Noch keine Änderungen', showMore: 'Mehr anzeigen', before: 'Änderungen in den 30 Minuten vor dem Vorfall',
  inChart: (count) => (count === 1 ? '1 Änderung in diesem Diagramm' : `${count} Änderungen in diesem Diagramm`),
  addresses: 'Adressen', name_servers: 'Nameserver', certificate: 'Zertifikat', redirects: 'Weiterleitungen',
  header: 'Antwort-Header', marker: 'Markierung', from: 'von', to: 'zu', nothing: 'keine',
};

export default german;
