import type { Translation } from '../catalogue.ts';
import type { GroupTexts } from '../groups.ts';

const german: Translation<GroupTexts> = {
  back: 'Alle Gruppen', dependencies: 'Monitore und Abhängigkeiten', noMonitors: 'Diese Gruppe hat keine Monitore',
  hint: 'Unter jedem Monitor stehen die, von denen er abhängt. Solange einer davon ausgefallen ist, werden die Alarme des Monitors zurückgehalten.',
  dependsOn: (name) => `${name} hängt ab von`,
};

export default german;
