import type { SessionTexts } from '../session.ts';
import type { Translation } from '../catalogue.ts';

const german: Translation<SessionTexts> = { signIn: 'Anmelden', email: 'E-Mail-Adresse', password: 'Passwort' };

export default german;
