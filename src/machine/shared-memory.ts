import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { bootName } from "./boot-name.ts"

/** Changes with the layout: programs with different layouts must not share it. */
const LAYOUT = 2
const PREFIX = "shared-"

/** The layout, in bytes. */
const REGIONS = {
  counters: { start: 0, length: 4_096 },
  presence: { start: 4_096, length: 16_384 },
  circuits: { start: 20_480, length: 4_096 * 64 },
  rates: { start: 20_480 + 4_096 * 64, length: 65_536 * 40 },
  running: { start: 20_480 + 4_096 * 64 + 65_536 * 40, length: 32_768 * 16 },
} as const
/** The word that names it, among those of the counters. */
const NAME = 1

const SIZE = REGIONS.running.start + REGIONS.running.length

export type Region = keyof typeof REGIONS

/**
 * Memory that all processes share which serve from one data folder on one machine: a mapped file. It consists
 * of words that are read and written atomically, so that no process ever waits for another, even a dead or
 * blocked one; and nothing in it matters for longer than minutes.
 */
export class SharedMemory {
  readonly #bytes: Uint8Array
  /** Whether it is shared, or private because there is no file. */
  readonly isShared: boolean

  private constructor(bytes: Uint8Array, isShared: boolean) {
    this.#bytes = bytes
    this.isShared = isShared
  }

  /**
   * Opens the shared memory of this machine's processes.
   * @param folder of the ledger: processes with other folders share nothing.
   */
  static open(folder: string): SharedMemory {
    try {
      return new SharedMemory(mapped(join(folder, "run")), true)
    } catch {
      return SharedMemory.own()
    }
  }

  /** Memory of one process, used if no memory can be shared. */
  static own(): SharedMemory {
    return new SharedMemory(new Uint8Array(SIZE), false)
  }

  /** Names it among all memories: the same for all processes that share it. */
  name(): string {
    const words = this.bigWords("counters")
    const [name = 0n] = crypto.getRandomValues(new BigInt64Array(1))
    // The first process decides.
    Atomics.compareExchange(words, NAME, 0n, name)
    return BigInt.asUintN(64, Atomics.load(words, NAME)).toString(16)
  }

  /** Integer counters; the third and the fourth are its name. */
  counters(): Int32Array {
    return new Int32Array(...this.#region("counters", 4))
  }

  bigWords(region: Region): BigInt64Array {
    return new BigInt64Array(...this.#region(region, 8))
  }

  /** The same words as floats. */
  floatWords(region: Region): Float64Array {
    return new Float64Array(...this.#region(region, 8))
  }

  #region(region: Region, wordSize: number): [ArrayBuffer, number, number] {
    const { start, length } = REGIONS[region]
    const { buffer, byteOffset } = this.#bytes
    return [buffer as ArrayBuffer, byteOffset + start, length / wordSize]
  }
}

function mapped(folder: string): Uint8Array {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = `${PREFIX}${LAYOUT}-${bootName()}`
  const path = join(folder, name)
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) make(folder, name)
  else if (size < SIZE) fillUp(path, size)
  return Bun.mmap(path, { shared: true })
}

/**
 * Creates it atomically: mapping a file that is too short, or has no blocks on a full disk, would kill the
 * process. Files of earlier boots are deleted.
 */
function make(folder: string, name: string): void {
  for (const other of readdirSync(folder)) {
    if (other.startsWith(PREFIX) && isOver(join(folder, other))) unlinkSync(join(folder, other))
  }
  const draft = join(folder, `${PREFIX}draft-${process.pid}-${Math.random().toString(36).slice(2)}`)
  writeFileSync(draft, new Uint8Array(SIZE), { mode: 0o600 })
  try {
    linkSync(draft, join(folder, name))
  } catch (error) {
    // Another process was faster, and its file will do.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    unlinkSync(draft)
  }
}

/**
 * Extends a file that was truncated. It stays the same file, so that the processes that have mapped it still
 * share it.
 */
function fillUp(path: string, size: number): void {
  const missing = new Uint8Array(SIZE - size)
  const file = openSync(path, "r+")
  try {
    if (writeSync(file, missing, 0, missing.length, size) < missing.length) {
      throw new Error(`${path} is too short`)
    }
  } finally {
    closeSync(file)
  }
}

/** Another machine may share the folder: only files older than a month are certainly unused. */
const OVER_AFTER = 30 * 86_400_000

function isOver(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > OVER_AFTER
}
