import type { Database } from "bun:sqlite"
import { dirname, join } from "node:path"
import type { FailureLog } from "../failure-log.ts"
import type { Direct } from "../methods.ts"
import type { PayloadLog } from "../payload-log.ts"
import { failureLogSteps } from "../steps/failure-log.ts"
import { payloadLogSteps } from "../steps/payload-log.ts"
import type { StepMethods } from "../steps/step.ts"
import type { Schema } from "./migrate.ts"
import { openDatabase } from "./open-database.ts"
import { directMethods, type OpenFile, stepRunner } from "./run-steps.ts"
import { CONTENTS_SCHEMA } from "./schemas/contents.ts"
import { FAILURES_SCHEMA } from "./schemas/failures.ts"
import { Transactions } from "./transactions.ts"

/**
 * Returns the path of the file of prompts and responses, next to the ledger. The file is created when the first account
 * enables storing them.
 */
export function contentsPath(databasePath: string): string {
  return join(dirname(databasePath), "contents.db")
}

/** Returns the path of the file of failed requests and attempts, next to the ledger. The file may be deleted. */
export function failuresPath(databasePath: string): string {
  return join(dirname(databasePath), "failures.db")
}

export function contentsFile(databasePath: string): LogFile<PayloadLog> {
  return new LogFile({
    path: contentsPath(databasePath),
    schema: CONTENTS_SCHEMA,
    overwritesDeleted: true,
    steps: payloadLogSteps,
  })
}

export function failuresFile(databasePath: string): LogFile<FailureLog> {
  return new LogFile({
    path: failuresPath(databasePath),
    schema: FAILURES_SCHEMA,
    overwritesDeleted: false,
    steps: failureLogSteps,
  })
}

interface LogFileOptions<Methods> {
  readonly path: string
  readonly schema: Schema
  /** Whether deleted rows are overwritten in the file. */
  readonly overwritesDeleted: boolean
  readonly steps: StepMethods<Methods>
}

/** A log in a separate file, which is created on first use. Writes do not wait for the disk. */
export class LogFile<Methods> implements Disposable {
  readonly methods: Direct<{ readonly log: Methods }>["log"]
  readonly #options: LogFileOptions<Methods>
  #database: Database | undefined
  #opened: OpenFile | undefined

  constructor(options: LogFileOptions<Methods>) {
    this.#options = options
    const groups = { log: options.steps }
    this.methods = directMethods<{ readonly log: Methods }>(
      groups,
      () => (this.#opened ??= this.#open()),
    ).log
  }

  [Symbol.dispose](): void {
    this.#database?.close()
  }

  #open(): OpenFile {
    const { path, schema, overwritesDeleted } = this.#options
    const database = openDatabase(path, {
      schema,
      synchronous: "NORMAL",
      pragmas: overwritesDeleted ? ["secure_delete = ON"] : [],
    })
    this.#database = database
    return { runStep: stepRunner(database), transactions: new Transactions(database) }
  }
}
