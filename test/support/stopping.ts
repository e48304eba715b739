import { Database } from "bun:sqlite"
import { databaseFileIn } from "../../src/store/sqlite/database-file.ts"
import type { Installation } from "./process.ts"
import { until } from "./until.ts"

/** Stops processes, but not during a transaction, because every other process would have to wait for its end. */
export async function stop(
  processIds: readonly number[],
  installation: Installation,
): Promise<void> {
  using database = new Database(databaseFileIn(installation.data))
  const signal = (name: NodeJS.Signals): void => {
    for (const id of processIds) process.kill(id, name)
  }
  await until(() => {
    signal("SIGSTOP")
    try {
      database.run("BEGIN IMMEDIATE")
      database.run("ROLLBACK")
      return true
    } catch {
      signal("SIGCONT")
      return false
    }
  })
}

/**
 * Repeats a signal until the process has ended. A signal that immediately follows another may count as its copy, and a
 * signal while the process exits has no effect.
 */
export function endBySignals(
  child: Pick<Bun.Subprocess, "kill" | "exitCode" | "signalCode">,
  signal: NodeJS.Signals,
): Promise<void> {
  return until(() => {
    child.kill(signal)
    return child.exitCode !== null || child.signalCode !== null
  })
}
