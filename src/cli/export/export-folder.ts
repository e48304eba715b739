import { createHash } from "node:crypto"
import { lstatSync, rmSync } from "node:fs"
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import type { ExportedTable } from "../../management/export/exported-table.ts"
import { keepOnDisk, makeFolder, partOf } from "../backup/folder-destination.ts"
import { isDiskError, systemCode } from "../system-code.ts"
import { CommandError } from "../exit-codes.ts"
import type { RowsFormat } from "./rows-text.ts"

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
/** The number that shells add to a signal number to form an exit code. */
const SIGNALED = 128
/** Characters per write. */
const CHUNK = 256 * 1024

/** A file of an export, as its manifest lists it. */
export interface ExportedFile {
  readonly path: string
  /** Number of rows; absent for a single document. */
  readonly rows?: number
  readonly bytes: number
  readonly sha256: string
}

/** A folder that is filled under a temporary name and renamed when it is completely on disk. */
export class ExportFolder {
  readonly #target: string
  readonly #part: string

  private constructor(target: string) {
    this.#target = target
    this.#part = partOf(target)
  }

  /**
   * Runs a step that fills a new folder. If the step fails, the folder is removed.
   * @throws CommandError if the name already exists, or if the disk cannot store a write.
   */
  static async fill<T>(path: string, step: (folder: ExportFolder) => Promise<T>): Promise<T> {
    const folder = new ExportFolder(resolve(path))
    await folder.#begin()
    using _ = folder.#removedBySignals()
    try {
      const result = await step(folder)
      await keepOnDisk(folder.#part)
      folder.#requireNothing()
      await rename(folder.#part, folder.#target)
      await keepOnDisk(dirname(folder.#target))
      return result
    } catch (error) {
      await rm(folder.#part, { recursive: true, force: true })
      throw isDiskError(error) ? noRoom(folder.#target) : error
    }
  }

  /** Writes the rows of a table as they arrive. */
  writeRows(table: ExportedTable, format: RowsFormat): Promise<ExportedFile> {
    return this.#write(`${table.name}.${format.extension}`, async (file) => {
      let rows = 0
      await file.write(format.head(table))
      for await (const row of table.rows()) {
        rows += 1
        await file.write(format.row(row, table))
      }
      return { rows }
    })
  }

  writeDocument(path: string, document: object): Promise<ExportedFile> {
    return this.#write(path, async (file) => {
      await file.write(`${JSON.stringify(document, undefined, 2)}\n`)
      return {}
    })
  }

  async #begin(): Promise<void> {
    this.#requireNothing()
    await makeFolder(dirname(this.#target))
    try {
      await mkdir(this.#part, { mode: 0o700 })
    } catch (error) {
      throw systemCode(error) === "EEXIST" ? unfinished(this.#part) : error
    }
  }

  /** Removes the folder if a signal ends the command. */
  #removedBySignals(): Disposable {
    const remove = (_signal: NodeJS.Signals, number: number): void => {
      rmSync(this.#part, { recursive: true, force: true })
      process.exit(SIGNALED + number)
    }
    for (const signal of SIGNALS) process.on(signal, remove)
    return {
      [Symbol.dispose]() {
        for (const signal of SIGNALS) process.off(signal, remove)
      },
    }
  }

  /** Rejects an existing target, including a broken link. */
  #requireNothing(): void {
    if (lstatSync(this.#target, { throwIfNoEntry: false }) === undefined) return
    throw new CommandError(
      "conflict",
      `${this.#target} already exists`,
      "An export never overwrites files. Choose a folder that does not exist yet.",
    )
  }

  async #write(
    path: string,
    step: (file: HashedFile) => Promise<{ readonly rows?: number }>,
  ): Promise<ExportedFile> {
    const handle = await open(join(this.#part, path), "wx", 0o600)
    try {
      const file = new HashedFile(handle)
      const counts = await step(file)
      return { path, ...counts, ...(await file.end()) }
    } finally {
      await handle.close()
    }
  }
}

/** A file that is written in large pieces and hashed at the same time. */
class HashedFile {
  readonly #handle: FileHandle
  readonly #hash = createHash("sha256")
  #waiting = ""
  #bytes = 0

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async write(text: string): Promise<void> {
    this.#waiting += text
    if (this.#waiting.length >= CHUNK) await this.#flush()
  }

  /** Waits until the file is completely on disk. */
  async end(): Promise<{ readonly bytes: number; readonly sha256: string }> {
    await this.#flush()
    await this.#handle.sync()
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") }
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#waiting)
    this.#waiting = ""
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    await this.#handle.writeFile(bytes)
  }
}

function unfinished(part: string): CommandError {
  return new CommandError(
    "conflict",
    `there is an incomplete export at ${part}`,
    "Another export is running, or was killed. Wait for it, or remove that folder.",
  )
}

function noRoom(target: string): CommandError {
  return new CommandError(
    "failed",
    `the export cannot be written to ${target}: the disk is full or broken`,
    "Free some space, or choose another folder. The incomplete export was removed.",
  )
}
