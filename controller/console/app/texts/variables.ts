import { catalogue } from './catalogue.ts';

const english = {
  title: 'Variables', newVariable: 'New variable', name: 'Name', value: 'Value', usedBy: 'Used by', actions: 'Actions', create: 'Create',
  text: (project: string) => `Hosts, tokens and passwords that monitors in ${project} share. A monitor uses one as {{name}}.`,
  none: 'No variables yet', noneText: 'Create one to use the same value in several monitors, or to keep a token secret.',
  secret: 'Secret', secretHint: 'Encrypted, and never shown again.', hidden: 'Hidden', unused: 'Not used', empty: 'Empty',
  nameHint: 'Lower-case letters, digits and underscores; starts with a letter.', isUsed: 'Can’t be changed while monitors use it.',
  keepsValue: 'Leave empty to keep the stored value.', readableValue: 'Enter the value again to make it readable.',
  valueHint: 'Probes receive a new value immediately.', more: (count: number) => `and ${count} more`,
  edit: 'Edit', editOf: (name: string) => `Edit ${name}`, deleteOf: (name: string) => `Delete ${name}`,
  deleteText: 'You can only delete a variable that no monitor uses.', saved: 'Saved',
  use: 'You can use variables in the target, headers, body, credentials and keywords:',
  manage: 'Manage variables', createFirst: 'Keep values that monitors share, such as tokens, in variables: write {{name}}.',
};

export const variableTexts = catalogue(english, { de: () => import('./de/variables.ts') });
export type VariableTexts = typeof english;
