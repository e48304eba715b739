/** The result of one check. */
export interface Check {
  readonly name: string
  readonly result: "ok" | "warning" | "failed"
  readonly found: string
  /** Advice for fixing the problem. */
  readonly fix?: string
}

/** Returns functions that create the results of a check. */
export function checkOf(name: string) {
  return {
    ok: (found: string): Check => ({ name, result: "ok", found }),
    warning: (found: string, fix: string): Check => ({ name, result: "warning", found, fix }),
    failed: (found: string, fix: string): Check => ({ name, result: "failed", found, fix }),
  }
}
