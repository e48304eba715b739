import { EXPECTED } from "./expected.ts"

/** What one check came to, as a check file prints it. */
export interface Check {
  readonly name: string
  readonly outcome: "passed" | "failed" | "skipped"
  readonly reason?: string
}

/** A row of the table. */
export interface Row {
  readonly client: string
  readonly version: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Failures that nobody expects, passes that nobody expects, and why something was skipped. */
  readonly notes: readonly string[]
}

const PREFIX = "check "

/** Reads what a check file printed; other lines are the client's own. */
export function readChecks(output: string): Check[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith(PREFIX))
    .map((line) => JSON.parse(line.slice(PREFIX.length)) as Check)
}

/** Counts checks. An expected failure counts as skipped; an expected failure that passes, as failed. */
export function rowOf(client: string, version: string, checks: readonly Check[]): Row {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const notes = new Set<string>()
  for (const check of checks) {
    const expected = EXPECTED.find((one) => one.client.test(client) && one.check.test(check.name))
    if (check.outcome === "skipped" || (check.outcome === "failed" && expected !== undefined)) {
      counts.skipped++
      notes.add(`skipped ${check.name}: ${expected?.reason ?? check.reason ?? ""}`)
    } else if (check.outcome === "failed") {
      counts.failed++
      notes.add(`FAILED ${check.name}: ${check.reason ?? ""}`)
    } else if (expected !== undefined) {
      counts.failed++
      notes.add(`FAILED ${check.name}: it passes, and is listed as an expected failure`)
    } else counts.passed++
  }
  return { client, version, ...counts, notes: [...notes] }
}

/** A row for a client of which nothing was run. */
export function skippedRow(client: string, version: string, reason: string): Row {
  return { client, version, passed: 0, failed: 0, skipped: 1, notes: [`skipped: ${reason}`] }
}
