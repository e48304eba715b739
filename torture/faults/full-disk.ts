import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"

const SIZE = "192m"
const CHUNK = Buffer.alloc(64 * 1024)

/** A small disk in memory that is mounted over a folder and can be filled. Needs root. */
export class FullDisk implements Disposable {
  readonly #folder: string
  readonly #filler: string

  private constructor(folder: string) {
    this.#folder = folder
    this.#filler = join(folder, "filler")
  }

  /** Mounts the disk over an empty folder. Returns undefined if mounting is not allowed. */
  static mount(folder: string): FullDisk | undefined {
    const words = ["mount", "-t", "tmpfs", "-o", `size=${SIZE},mode=700`, "tmpfs", folder]
    try {
      const { exitCode } = Bun.spawnSync(words, { stdout: "ignore", stderr: "ignore" })
      return exitCode === 0 ? new FullDisk(folder) : undefined
    } catch {
      return undefined
    }
  }

  /** Fills all free space. */
  fill(): void {
    const file = openSync(this.#filler, "a")
    try {
      for (;;) writeSync(file, CHUNK)
    } catch {
      // The disk has no space left.
    } finally {
      closeSync(file)
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true })
  }

  [Symbol.dispose](): void {
    Bun.spawnSync(["umount", "--lazy", this.#folder], { stdout: "ignore", stderr: "ignore" })
  }
}
