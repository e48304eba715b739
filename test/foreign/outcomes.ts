import { EXPECTED } from "./expected.ts"

/** The result of one check, as a check file prints it. */
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
  /** Descriptions of unexpected failures, of unexpected passes, and of skipped checks. */
  readonly notes: readonly string[]
}

const PREFIX = "check "

/** Reads the checks in the output of a check file. Other lines are printed by the client itself. */
export function readChecks(output: string): Check[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith(PREFIX))
    .map((line) => JSON.parse(line.slice(PREFIX.length)) as Check)
}

/** Counts checks. An expected failure counts as skipped. An expected failure that passes counts as failed. */
export function rowOf(client: string, version: string, checks: readonly Check[]): Row {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failures: string[] = []
  const skipped = new Map<string, number>()
  for (const check of checks) {
    const { outcome, reason } = judge(client, check)
    counts[outcome]++
    if (outcome === "failed") failures.push(`FAILED ${check.name}: ${reason}`)
    if (outcome === "skipped") skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  }
  const reasons = [...skipped].map(([reason, times]) => `skipped ${times}: ${reason}`)
  return { client, version, ...counts, notes: [...failures, ...reasons] }
}

function judge(client: string, check: Check): { outcome: Check["outcome"]; reason: string } {
  const { outcome, reason = "" } = check
  const expected = EXPECTED.find((one) => one.client.test(client) && one.check.test(check.name))
  if (expected === undefined || outcome === "skipped") return { outcome, reason }
  if (outcome === "failed") return { outcome: "skipped", reason: expected.reason }
  return { outcome: "failed", reason: "it passes, and is listed as an expected failure" }
}

/** Returns a row for a client that was not run. */
export function skippedRow(client: string, version: string, reason: string): Row {
  return { client, version, passed: 0, failed: 0, skipped: 1, notes: [`skipped 1: ${reason}`] }
}
