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

/** Changed with the layout: programs of another layout must not share it. */
const LAYOUT = 1
const PREFIX = "shared-"

/** Where what is, in bytes. */
const PLACES = {
  counters: { start: 0, length: 4_096 },
  presence: { start: 4_096, length: 16_384 },
  ailments: { start: 20_480, length: 4_096 * 64 },
  rates: { start: 20_480 + 4_096 * 64, length: 65_536 * 40 },
} as const
const SIZE = PLACES.rates.start + PLACES.rates.length

export type Place = keyof typeof PLACES

/**
 * Memory that all processes of one machine share which serve from one data folder: a mapped file. All of
 * it is words that are read and written whole, so that no one ever waits for another, also not for one that
 * died or stands still; and nothing in it matters for longer than minutes.
 */
export class SharedMemory {
  readonly #bytes: Uint8Array
  /** Whether it is shared, and not this process's own for want of a file. */
  readonly isShared: boolean

  private constructor(bytes: Uint8Array, isShared: boolean) {
    this.#bytes = bytes
    this.isShared = isShared
  }

  /**
   * Opens what the processes of this machine share.
   * @param folder of the ledger: who serves from another shares nothing.
   */
  static open(folder: string): SharedMemory {
    try {
      return new SharedMemory(mapped(join(folder, "run")), true)
    } catch {
      return SharedMemory.own()
    }
  }

  /** Memory of one process, where none can be shared. */
  static own(): SharedMemory {
    return new SharedMemory(new Uint8Array(SIZE), false)
  }

  /** Whole numbers that processes count up. */
  counters(): Int32Array {
    return new Int32Array(...this.#place("counters", 4))
  }

  bigWords(place: Place): BigInt64Array {
    return new BigInt64Array(...this.#place(place, 8))
  }

  /** The same words as floats. */
  floatWords(place: Place): Float64Array {
    return new Float64Array(...this.#place(place, 8))
  }

  #place(place: Place, wordSize: number): [ArrayBuffer, number, number] {
    const { start, length } = PLACES[place]
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
 * It comes into being whole: a mapping of a file that is too short, or has no blocks on a full disk, would
 * kill the process. What earlier starts of the machine have left goes.
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
    // Another process was faster, and its file is as good.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    unlinkSync(draft)
  }
}

/**
 * Gives a file that someone has cut its end again. It stays the same file, so that those who have it mapped
 * go on sharing it.
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

/** Another machine may share the folder: only what is older than a month is surely of no use. */
const OVER_AFTER = 30 * 86_400_000

function isOver(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > OVER_AFTER
}
