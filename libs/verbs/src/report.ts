/** The outcome of a command. */
export interface Report {
  /** For `--json`. */
  json: object;
  /** For a person. */
  text: string;
  /** Set if the result itself is bad news. */
  exitCode?: number;
  /** A changing command had nothing to change: it has no row in the audit log. */
  unchanged?: true;
}
