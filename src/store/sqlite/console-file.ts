import { Database } from "bun:sqlite"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { ConsoleStore } from "../console-store.ts"
import { methodNames, methodOf, methodsNamed } from "../methods.ts"
import { makePrivateFile } from "../private-file.ts"
import {
  CONSOLE_STEPS,
  type ConsoleAggregates,
  sweepExpired,
} from "../steps/sign-in/console-steps.ts"
import { migrate } from "./migrate.ts"
import { directMethods, stepRunner } from "./run-steps.ts"
import { CONSOLE_SCHEMA } from "./schemas/console.ts"
import { Transactions } from "./transactions.ts"
import { useWriteAheadLog } from "./write-ahead-log.ts"

/** How long a write waits for the lock of another process, milliseconds. */
const BUSY_TIME = 5_000

/** Whether `console.db` exists. */
export function hasConsoleFile(dataDirectory: string): boolean {
  return existsSync(pathIn(dataDirectory))
}

/**
 * Opens `console.db`, creating it and bringing it up to date. A commit survives a crash of the process;
 * it does not wait for the disk, which would block callers' requests during a sign-in.
 * @throws SchemaError if a newer Tollgate wrote it.
 */
export function openConsoleFile(dataDirectory: string): ConsoleStore {
  const database = openDatabase(dataDirectory)
  const runStep = stepRunner(database)
  const transactions = new Transactions(database)
  const direct = directMethods<ConsoleAggregates>(CONSOLE_STEPS, () => ({ runStep, transactions }))
  const aggregates = methodsNamed<ConsoleAggregates>(methodNames(direct), (group, name) => {
    const method = methodOf(direct, group, name)
    return async (...parameters) => method(...parameters)
  })
  runStep(sweepExpired(Date.now()))
  return {
    ...aggregates,
    sweep: async (now) => runStep(sweepExpired(now)),
    [Symbol.dispose]: () => database.close(),
  }
}

function openDatabase(dataDirectory: string): Database {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const path = pathIn(dataDirectory)
  makePrivateFile(path)
  const database = new Database(path, { create: true, strict: true, safeIntegers: true })
  database.run(`PRAGMA busy_timeout = ${BUSY_TIME}`)
  useWriteAheadLog(database)
  database.run("PRAGMA synchronous = NORMAL")
  database.run("PRAGMA foreign_keys = ON")
  // What is changed or removed is overwritten in the file as well: it names people.
  database.run("PRAGMA secure_delete = ON")
  migrate(database, CONSOLE_SCHEMA)
  return database
}

function pathIn(dataDirectory: string): string {
  return join(dataDirectory, "console.db")
}
