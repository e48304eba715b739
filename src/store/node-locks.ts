import { Database } from "bun:sqlite"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { processOf } from "./nodes.ts"
import { makePrivateFile } from "./private-file.ts"

/** The state of a node according to its lock. */
export type NodeState = "alive" | "dead" | "unknown"

/**
 * Locks that prove that nodes are alive. Each node has one locked file for the lifetime of its process. The operating
 * system releases a lock exactly when the process ends, for any reason. Locks are therefore reliable even with
 * namespaces, reused process ids and stopped processes. SQLite takes and tests the locks, because it supports the locks
 * of each operating system.
 */
export class NodeLocks {
  readonly #folder: string
  /** Identifies the running system. Locks of one machine have no meaning on another machine that shares its disk. */
  readonly machine: string

  /** @param machine identifies the running system (see `bootName`). */
  constructor(folder: string, machine: string) {
    this.#folder = folder
    this.machine = machine
  }

  /** Takes the lock of a node of this process; undefined if the file system does not support locks. */
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

  /**
   * Returns the state of a node.
   * @param machine the machine on which the node claims to hold its lock.
   */
  stateOf(node: string, machine: string): NodeState {
    const isHeld = this.#isHeld(node)
    if (isHeld === true) return "alive"
    return isHeld === false && machine === this.machine ? "dead" : "unknown"
  }

  /** Deletes the file of a node that has ended. */
  remove(node: string): void {
    rmSync(this.#path(node), { force: true })
  }

  /** Whether a node's lock is held; undefined if this cannot be determined. */
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
