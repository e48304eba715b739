/** The result of one check. */
export interface Check {
  readonly name: string
  readonly result: "ok" | "warning" | "failed"
  readonly found: string
  /** What to do about it. */
  readonly mend?: string
}
