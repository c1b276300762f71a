import type { LifetimeTexts } from '../lifetime.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<LifetimeTexts> = {
  expires: 'Läuft ab', expired: 'abgelaufen', never: 'nie', inDays: (days) => `in ${days} ${days === 1 ? 'Tag' : 'Tagen'}`,
};

export default german;
