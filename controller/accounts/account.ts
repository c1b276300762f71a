import type { KeyScope, OrganizationRole, ProjectRole } from '../http/route.ts';
import type { PlanName } from '../plans/plans.ts';

/** A document of `users`. Instants are Unix ms, here and below. */
export interface UserDoc {
  _id: string;
  /** Lower case; unique. */
  email: string;
  name: string;
  password_hash: string;
  /** One higher with every change of the password; sessions of an older one are dead. */
  token_version: number;
  email_verified: boolean;
  is_operator: boolean;
  /** Held by the first account of the installation only; unique, so that of several first ones one wins. */
  first?: true;
  created_at: number;
}

export interface OrganizationDoc {
  _id: string;
  name: string;
  plan: PlanName;
  created_at: number;
  /** Until then somebody is taking an owner away; nobody else may meanwhile. */
  owners_locked_until?: number;
}

export interface ProjectDoc {
  _id: string;
  organization_id: string;
  name: string;
  is_default: boolean;
  created_at: number;
}

export interface MemberDoc {
  _id: string;
  organization_id: string;
  user_id: string;
  role: OrganizationRole;
  project_roles: Record<string, ProjectRole>;
  created_at: number;
}

export interface SessionDoc {
  _id: string;
  user_id: string;
  token_version: number;
  created_at: number;
  expires_at: number;
}

/** The key itself is not stored. */
export interface ApiKeyDoc {
  _id: string;
  organization_id: string;
  name: string;
  scope: KeyScope;
  /** SHA-256 of the key, hexadecimal; unique. */
  hash: string;
  preview: string;
  created_by: string;
  created_at: number;
  last_used_at: number | null;
}

export type MailedTokenPurpose = 'verify_email' | 'reset_password';

/** The token itself is not stored. */
export interface MailedTokenDoc {
  _id: string;
  /** SHA-256 of the token, hexadecimal; unique. */
  hash: string;
  purpose: MailedTokenPurpose;
  user_id: string;
  /** Where it was sent. */
  email: string;
  created_at: number;
  expires_at: number;
}

/** The token itself is not stored. */
export interface InvitationDoc {
  _id: string;
  organization_id: string;
  /** Lower case. */
  email: string;
  role: OrganizationRole;
  /** For a `member`, by project. */
  project_roles: Record<string, ProjectRole>;
  invited_by: string;
  /** SHA-256 of the token, hexadecimal; unique. */
  hash: string;
  created_at: number;
  expires_at: number;
}
