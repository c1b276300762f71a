/** A document of `audit_entries`: one change that somebody made. */
export interface AuditDoc {
  _id: string;
  organization_id: string;
  project_id: string | null;
  /** Noun and past participle, as `monitor.created`. */
  action: string;
  actor_type: 'user' | 'api_key' | 'none';
  actor_id: string | null;
  /** As it was then. */
  actor_name: string | null;
  resource_type: string;
  resource_id: string | null;
  /** Names of the fields that were sent; never their values. */
  fields: string[];
  request_id: string;
  /** Unix ms. */
  created_at: number;
}
