/** The outcome of a command, as it is shown. */
export interface Report {
  /** For `--json`. */
  json: object;
  /** For a person. */
  text: string;
  /** Other than 0 if the answer itself is bad news. */
  exitCode?: number;
  /** A changing command that found everything as it was to be: it has no row in the audit log. */
  unchanged?: true;
}
