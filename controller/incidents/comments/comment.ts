/** A document of `incident_comments`. Instants are Unix ms. */
export interface CommentDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  incident_id: string;
  /** The author, with address and name as they were when it was written. */
  user_id: string;
  user_email: string;
  user_name: string;
  /** Empty once deleted. */
  comment_text: string;
  is_internal: boolean;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}
