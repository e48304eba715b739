import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "../support/until.ts"

/** A file that a page saved. */
export interface SavedFile {
  /** The name that the page suggests. */
  readonly name: string
  readonly text: string
}

/** The folder of a browser that does not report downloads. A file is removed after it is read. */
export class DownloadFolder {
  readonly path = mkdtempSync(join(tmpdir(), "tollgate-downloads-"))

  /** Returns the file that an action saves in this folder, once the file is complete. */
  async fileOf(action: () => Promise<void>): Promise<SavedFile> {
    const before = readdirSync(this.path)
    if (before.length > 0) throw new Error(`nobody asked for the download of ${before.join()}`)
    await action()
    await until(() => this.#isWhole(readdirSync(this.path)), 25_000)
    const [name = ""] = readdirSync(this.path)
    const file = join(this.path, name)
    const text = readFileSync(file, "utf8")
    rmSync(file)
    return { name, text }
  }

  /** During a download, the browser reserves the name with an empty file and writes to another file next to it. */
  #isWhole(names: readonly string[]): boolean {
    const [name, ...others] = names
    return name !== undefined && others.length === 0 && statSync(join(this.path, name)).size > 0
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
