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

/** Changes with the layout, because programs with different layouts must not share the memory. */
const LAYOUT = 2
const PREFIX = "shared-"

/** The regions of the memory, in bytes. */
const REGIONS = {
  counters: { start: 0, length: 4_096 },
  presence: { start: 4_096, length: 16_384 },
  circuits: { start: 20_480, length: 4_096 * 64 },
  rates: { start: 20_480 + 4_096 * 64, length: 65_536 * 40 },
  running: { start: 20_480 + 4_096 * 64 + 65_536 * 40, length: 32_768 * 16 },
} as const
/** The index of the word with the memory's name, counted in words of 64 bits. */
const NAME = 1

const SIZE = REGIONS.running.start + REGIONS.running.length

export type Region = keyof typeof REGIONS

/**
 * Memory that all processes of one machine share if they serve from the same data folder. It is a mapped file of words
 * that are read and written atomically, so that no process waits for another process that is dead or blocked. Its
 * contents matter for minutes at most.
 */
export class SharedMemory {
  readonly #bytes: Uint8Array
  /** Whether the memory is shared. It is private if there is no file. */
  readonly isShared: boolean

  private constructor(bytes: Uint8Array, isShared: boolean) {
    this.#bytes = bytes
    this.isShared = isShared
  }

  /**
   * Opens the shared memory of this machine's processes.
   * @param folder the folder of the ledger. Processes with different folders share no memory.
   */
  static open(folder: string): SharedMemory {
    try {
      return new SharedMemory(mapped(join(folder, "run")), true)
    } catch {
      return SharedMemory.own()
    }
  }

  /** Returns memory of a single process, for use if no memory can be shared. */
  static own(): SharedMemory {
    return new SharedMemory(new Uint8Array(SIZE), false)
  }

  /** Returns the name of the memory, which is the same in all processes that share it. */
  name(): string {
    const words = this.bigWords("counters")
    const [name = 0n] = crypto.getRandomValues(new BigInt64Array(1))
    // The first process determines the name.
    Atomics.compareExchange(words, NAME, 0n, name)
    return BigInt.asUintN(64, Atomics.load(words, NAME)).toString(16)
  }

  /** Returns the integer counters. The third and fourth counter contain the memory's name. */
  counters(): Int32Array {
    return new Int32Array(...this.#region("counters", 4))
  }

  bigWords(region: Region): BigInt64Array {
    return new BigInt64Array(...this.#region(region, 8))
  }

  /** Returns the words of a region as floating-point numbers. */
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
 * Creates the file atomically. Mapping a file that is too short, or that has no blocks because the disk is full, would
 * kill the process. Files of earlier boots are deleted.
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
    // Another process has created the file first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    unlinkSync(draft)
  }
}

/**
 * Extends a file that was truncated. It remains the same file, so that processes that have mapped it still share it.
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

/**
 * Age in milliseconds at which files are deleted. Another machine may share the folder, so only files older than a
 * month are certainly unused.
 */
const OVER_AFTER = 30 * 86_400_000

function isOver(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > OVER_AFTER
}
