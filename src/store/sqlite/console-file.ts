import type { Database } from "bun:sqlite"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { ConsoleStore } from "../console-store.ts"
import { methodNames, methodOf, methodsNamed } from "../methods.ts"
import {
  CONSOLE_STEPS,
  type ConsoleAggregates,
  sweepExpired,
} from "../steps/sign-in/console-steps.ts"
import { asLedgerError } from "./explain-error.ts"
import { openDatabase } from "./open-database.ts"
import { directMethods, stepRunner } from "./run-steps.ts"
import { CONSOLE_SCHEMA } from "./schemas/console.ts"
import { Transactions } from "./transactions.ts"

/** Maximum time that a write waits for the lock of another process. */
const BUSY_TIMEOUT_MS = 5_000

/** Whether `console.db` exists. */
export function hasConsoleFile(dataDirectory: string): boolean {
  return existsSync(pathIn(dataDirectory))
}

/**
 * Opens `console.db`. It is created or migrated if necessary. A commit survives a crash of the process, but does not
 * wait for the disk, because a sign-in would then block callers' requests.
 * @throws SchemaError if a newer version of Tollgate wrote it.
 */
export function openConsoleFile(dataDirectory: string): ConsoleStore {
  const database = openFile(dataDirectory)
  const runStep = stepRunner(database)
  const transactions = new Transactions(database)
  const explaining = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw asLedgerError(pathIn(dataDirectory), error)
    }
  }
  const direct = directMethods<ConsoleAggregates>(CONSOLE_STEPS, () => ({ runStep, transactions }))
  const aggregates = methodsNamed<ConsoleAggregates>(methodNames(direct), (group, name) => {
    const method = methodOf(direct, group, name)
    return async (...parameters) => explaining(() => method(...parameters))
  })
  runStep(sweepExpired(Date.now()))
  return {
    ...aggregates,
    sweep: async (now) => explaining(() => runStep(sweepExpired(now))),
    [Symbol.dispose]: () => database.close(),
  }
}

function openFile(dataDirectory: string): Database {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  return openDatabase(pathIn(dataDirectory), {
    schema: CONSOLE_SCHEMA,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    synchronous: "NORMAL",
    // Overwrites changed and deleted values in the file, because they may identify people.
    pragmas: ["foreign_keys = ON", "secure_delete = ON"],
  })
}

function pathIn(dataDirectory: string): string {
  return join(dataDirectory, "console.db")
}
