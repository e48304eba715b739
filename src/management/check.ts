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

/** Matches `provider local: has no models. List them.` */
const WARNING = /^(?<subject>.+?): (?<found>.+?)(?:\. (?<fix>.+?))?\.?$/s

/** Converts warnings at the start to checks with a problem and a remedy. */
export function warningChecks(warnings: readonly string[]): Check[] {
  return warnings.map((warning) => {
    const { subject, found = warning, fix } = WARNING.exec(warning)?.groups ?? {}
    return {
      name: subject === undefined ? "settings" : `settings, ${subject}`,
      result: "warning",
      found,
      fix: fix ?? "change it in tollgate.yaml, in the console or in the environment",
    }
  })
}
