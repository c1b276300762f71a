/** A field of a form. `list` and `headers` are lines of text. */
export interface FormField {
  /** Path in `config`. */
  name: string;
  label: string;
  help: string;
  isRequired: boolean;
  kind: 'text' | 'area' | 'secret' | 'url' | 'number' | 'select' | 'list' | 'headers';
  options?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  /** The value that the API uses if none is sent. */
  default?: string;
}

export interface DestinationFormRules {
  label: string;
  help: string;
  fields: FormField[];
}
