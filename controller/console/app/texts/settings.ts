import { catalogue } from './catalogue.ts';

const english = {
  title: 'Settings', account: 'Account', organization: 'Organization', people: 'People', projects: 'Projects', keys: 'API keys',
  plan: 'Plan and use', audit: 'Audit log', name: 'Name', actions: 'Actions', create: 'Create', saved: 'Saved', never: 'never',
  more: 'Show more', done: 'I have stored it', createdAt: 'Created',
  newKey: 'New API key', key: 'API key', keysLong: 'They belong to the organization and stay valid when a person leaves.',
  noKeys: 'No API keys', noKeysLong: 'Programs and scripts use one to call the API.', scope: 'May', read: 'Read',
  read_write: 'Read and write', lastUsed: 'Last used', keyNameHint: 'What uses it, for example “Deployments”.',
  shownOnce: 'Copy it now: it is not shown again.', rotate: 'Replace', revoke: 'Revoke', revoked: 'Revoked',
  rotateOf: (name: string) => `Replace ${name}`, revokeOf: (name: string) => `Revoke ${name}`,
  rotateLong: 'The old key stops working at once. Name and rights stay.', revokeLong: 'It stops working at once and for good.',
  address: 'Mail address', notVerified: 'Not verified', password: 'Password', currentPassword: 'Current password',
  newPassword: 'New password', newPasswordHint: '10 to 200 characters. All other sessions end.', changePassword: 'Change password',
  passwordChanged: 'Password changed', sessions: 'Where you are signed in', endAll: 'Sign out everywhere',
  endAllLong: 'Ends every session of your account, also this one.', signedIn: 'Signed in', until: 'Until', thisSession: 'This one',
  endSession: 'Sign out',
};

export const settingTexts = catalogue(english, { de: () => import('./de/settings.ts') });
export type SettingTexts = typeof english;
