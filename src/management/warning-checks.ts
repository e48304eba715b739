import type { Check } from "./check.ts"

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
