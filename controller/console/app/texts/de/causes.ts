import type { CauseTexts } from '../causes.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<CauseTexts> = {
  cause: 'Gemeinsame Ursache', others: 'Weitere Vorfälle mit dieser Ursache', more: (count) => `Und ${count} weitere.`,
  dependency: (count, name) => `${count} Monitore, die von ${name} abhängen`,
  address: (count, name) => `${count} Monitore hinter ${name}`,
  network: (count, name) => `${count} Monitore im Netz ${name}`,
  name_server: (count, name) => `${count} Monitore, die den DNS-Server ${name} verwenden`,
  certificate: (count, name) => `${count} Monitore mit dem Zertifikat ${name}`,
  region: (count, name) => `${count} Monitore, die von ${name} aus geprüft werden`,
  group: (count, name) => `${count} Monitore in der Gruppe ${name}`,
};

export default german;
