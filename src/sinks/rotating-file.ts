import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises"
import { basename, dirname, extname, join } from "node:path"
import { randomText } from "../canon/random-text.ts"
import type { LineFileSettings } from "../config/sections/log.ts"
import { type LineBatch, type LineDestination, LineDeliveryError } from "./destination.ts"

const NEW_LINE = 10
/** The first byte of each line, because a line is a JSON object. */
const OPENING_BRACE = 123
const SUFFIX_LENGTH = 6
/** File mode that allows the group to read, because collectors run as another user. */
const MODE = 0o640

/**
 * A file to which lines are appended, and which is rotated by size. Several processes may share it. Before writing,
 * each process checks that the path still refers to its open file, so that another process or logrotate may also rotate
 * the file.
 */
export class RotatingFile implements LineDestination, AsyncDisposable {
  readonly #settings: LineFileSettings
  #handle: FileHandle | undefined
  /** Number of bytes of a batch that are already in the file, if a write was incomplete. */
  #broken: { readonly id: string; readonly bytes: number } | undefined

  constructor(settings: LineFileSettings) {
    this.#settings = settings
  }

  async deliver(batch: LineBatch): Promise<void> {
    try {
      await this.#append(await this.#file(), batch)
    } catch (error) {
      if (error instanceof LineDeliveryError) throw error
      throw new LineDeliveryError(error instanceof Error ? error.message : "it cannot be written")
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
  }

  async #append(file: FileHandle, { id, lines }: LineBatch): Promise<void> {
    const bytes = Buffer.from(`${lines.join("\n")}\n`)
    let done = 0
    if (this.#broken?.id === id) {
      const { bytes: before } = this.#broken
      done = bytes.lastIndexOf(NEW_LINE, before - 1) + 1
      // The incomplete line is ended, and the whole line is written again.
      if (done < before) await file.write("\n")
    }
    try {
      while (done < bytes.length) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done)
        done += bytesWritten
      }
      this.#broken = undefined
    } catch (error) {
      if (done > 0) this.#broken = { id, bytes: done }
      throw error
    }
  }

  /** Returns the open file. A new file is opened if it is missing, too large or was rotated. */
  async #file(): Promise<FileHandle> {
    const { path, rotateBytes } = this.#settings
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && !found.isFile())
      throw new LineDeliveryError("it is not a regular file")
    const isLarge = found !== undefined && found.size >= rotateBytes
    if (this.#handle && !isLarge && (await this.#handle.stat()).ino === found?.ino) {
      return this.#handle
    }
    await this.#close()
    const isEnded = found === undefined || found.size === 0 || (await isLines(path, found.size))
    if (isLarge) await this.#putAway()
    await mkdir(dirname(path), { recursive: true, mode: 0o750 })
    this.#handle = await open(path, "a", MODE)
    if (!isEnded && !isLarge) await this.#handle.write("\n")
    return this.#handle
  }

  /** Rotates the file. If two processes do this at once, the second one rotates a short file, and nothing is lost. */
  async #putAway(): Promise<void> {
    const { path, keep } = this.#settings
    const extension = extname(path)
    const stem = basename(path, extension)
    const directory = dirname(path)
    const time = new Date().toISOString().replaceAll(/[-:.]/g, "")
    const target = `${stem}-${time}-${randomText(SUFFIX_LENGTH)}${extension}`
    // Another process may already have rotated the file.
    await rename(path, join(directory, target)).catch(ignoreMissing)
    const names = (await readdir(directory)).filter((name) => isPutAway(name, stem, extension))
    const old = names.toSorted().slice(0, Math.max(0, names.length - keep))
    await Promise.all(old.map((name) => unlink(join(directory, name)).catch(() => undefined)))
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

/**
 * Checks a file before writing, because its path may have been configured by mistake.
 * @returns whether the last line is complete. A full disk may leave an incomplete line.
 * @throws LineDeliveryError if the file contains other data.
 */
async function isLines(path: string, size: number): Promise<boolean> {
  // Another process may already have rotated the file.
  await using file = await open(path, "r").catch(ignoreMissing)
  if (!file) return true
  const ends = Buffer.alloc(2)
  await file.read(ends, 0, 1, 0)
  await file.read(ends, 1, 1, size - 1)
  if (ends[0] === OPENING_BRACE) return ends[1] === NEW_LINE
  throw new LineDeliveryError("the file contains data other than JSON lines")
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}

/** Whether the gateway has rotated a file. Other files in the folder are never deleted. */
function isPutAway(name: string, stem: string, extension: string): boolean {
  if (!name.startsWith(`${stem}-`) || !name.endsWith(extension)) return false
  const middle = name.slice(stem.length, name.length - extension.length)
  return /^-\d{8}T\d{9}Z-[0-9A-Za-z]{6}$/.test(middle)
}
