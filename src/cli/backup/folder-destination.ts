import { constants, existsSync } from "node:fs"
import { mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import { CommandError } from "../exit-codes.ts"
import { MANIFEST } from "./manifest.ts"
import { type BackupDestination, installationIn, type StoredBackup, textOf } from "./destination.ts"
import { systemCode } from "../system-code.ts"

/** The suffix of an incomplete or partly deleted backup. */
const PART = ".part"

/** Backups in a folder, each in a subfolder. */
export class FolderDestination implements BackupDestination {
  readonly words: string
  readonly workshop: string

  constructor(folder: string) {
    this.words = resolve(folder)
    this.workshop = this.words
  }

  async names(): Promise<string[]> {
    const names = (await this.#entries()).filter((name) => installationIn(name) !== undefined)
    return names.filter((name) => existsSync(join(this.words, name, MANIFEST))).toSorted()
  }

  async publish(name: string, folder: string): Promise<void> {
    await rename(folder, join(this.words, name))
    await keepOnDisk(this.words)
  }

  async clean(installation: string): Promise<void> {
    for (const name of await this.#entries()) {
      const isPart = name.endsWith(PART) && installationIn(name.slice(0, -5)) === installation
      if (isPart) await rm(join(this.words, name), { recursive: true, force: true })
    }
  }

  /** Renames a backup before deleting it, so that a partly deleted backup does not count as one. */
  async remove(name: string): Promise<void> {
    const part = join(this.words, partOf(name))
    await rename(join(this.words, name), part)
    await rm(part, { recursive: true, force: true })
  }

  async open(name: string): Promise<StoredBackup | undefined> {
    const folder = join(this.words, name)
    const manifest = join(folder, MANIFEST)
    if (!existsSync(manifest)) return undefined
    return {
      words: folder,
      manifest: await textOf(readRegularFile(manifest)),
      read: (path) => readRegularFile(join(folder, path)),
    }
  }

  async #entries(): Promise<string[]> {
    try {
      return await readdir(this.words)
    } catch (error) {
      if (systemCode(error) === "ENOENT") return []
      throw error
    }
  }
}

/**
 * Reads a file of a backup. Opening a named pipe would wait for a writer, so it is opened without waiting.
 * @throws CommandError if it is a folder, a pipe or a device.
 */
async function* readRegularFile(path: string): AsyncGenerator<Uint8Array> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (!(await file.stat()).isFile()) {
    throw new CommandError(
      "failed",
      `the backup has been altered: ${path} is not a file`,
      "Nothing was restored. Use another backup.",
    )
  }
  yield* file.createReadStream({ autoClose: false })
}

/** Returns the folder name of an incomplete backup. */
export function partOf(name: string): string {
  return name + PART
}

/** Creates a folder with its parents. Only the owner can read it. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

/** Waits until the contents of a file or folder are on the disk. */
export async function keepOnDisk(path: string): Promise<void> {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
