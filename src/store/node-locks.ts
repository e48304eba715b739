import { Database } from "bun:sqlite"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { processOf } from "./nodes.ts"
import { makePrivateFile } from "./private-file.ts"

/** What can be said of a node from its lock. */
export type NodeState = "alive" | "dead" | "unknown"

/**
 * The locks by which nodes prove that they are alive: one file for each, locked for as long as its process
 * runs. The operating system drops a lock at the moment a process ends, however it ends, and no
 * sooner, so that neither a namespace nor a name nor a stopped process makes a difference. SQLite takes
 * and reads them, since it knows how locks work on each system.
 */
export class NodeLocks {
  readonly #folder: string
  /** Locks of one machine mean nothing on another that shares its disk: this names the running system. */
  readonly machine: string

  /** @param machine what names the running system: `bootName`. */
  constructor(folder: string, machine: string) {
    this.#folder = folder
    this.machine = machine
  }

  /** Takes the lock of a node of this process; undefined where the file system has no locks. */
  take(node: string): Disposable | undefined {
    const path = this.#path(node)
    let database: Database | undefined
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      makePrivateFile(path)
      database = new Database(path, { create: true })
      database.run("PRAGMA journal_mode = MEMORY")
      database.run("BEGIN EXCLUSIVE")
    } catch {
      database?.close()
      return undefined
    }
    const held = database
    return {
      [Symbol.dispose]: () => {
        held.close()
        this.remove(node)
      },
    }
  }

  /** @param machine where the node says that it holds its lock. */
  stateOf(node: string, machine: string): NodeState {
    const isHeld = this.#isHeld(node)
    if (isHeld === true) return "alive"
    return isHeld === false && machine === this.machine ? "dead" : "unknown"
  }

  /** Removes the file of a node that is gone. */
  remove(node: string): void {
    rmSync(this.#path(node), { force: true })
  }

  /** Undefined where it cannot be known. */
  #isHeld(node: string): boolean | undefined {
    const path = this.#path(node)
    if (!existsSync(path)) return undefined
    try {
      using database = new Database(path, { readonly: true })
      database.query("SELECT 1 FROM sqlite_master").get()
      return false
    } catch (error) {
      return isBusy(error) ? true : undefined
    }
  }

  #path(node: string): string {
    return join(this.#folder, `${processOf(node)}.lock`)
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY"
}
