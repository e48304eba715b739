/** The result of one check. */
export interface Check {
  readonly name: string
  readonly result: "ok" | "warning" | "failed"
  readonly found: string
  /** Advice for fixing the problem. */
  readonly fix?: string
}
