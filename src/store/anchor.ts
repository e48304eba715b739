import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { existsSync, readFileSync, renameSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as z from "zod"

/** The end of a chain: its last line. */
const chainEnd = z.object({ number: z.int(), hash: z.string() })

const anchor = z.object({
  /** The rows of `entries` up to this one; its hash, null where it has none. */
  lastRow: z.int(),
  lastHash: z.string().nullable(),
  /** How many rows there are up to it. */
  rowCount: z.int(),
  /** The sum of their hashes, hexadecimal. */
  hashSum: z.string(),
  /** Unix milliseconds. */
  at: z.int(),
  writeOffs: chainEnd,
  audit: chainEnd,
})

/**
 * How far the book was at a moment. What is missing from a book that was once further shows by it: the
 * chains of hashes cannot show that their last line was taken away. It may be behind, never ahead.
 */
export type Anchor = z.infer<typeof anchor>
export type ChainEnd = z.infer<typeof chainEnd>

/** Where the anchor of a book is: beside it, in a file of its own. */
export function anchorPath(bookPath: string): string {
  return join(dirname(bookPath), "anchor.json")
}

/** What is read from an anchor's file. */
export interface ReadAnchor {
  readonly anchor: Anchor
  /** Null without the secret that would tell. */
  readonly isGenuine: boolean | null
}

const anchorFile = z.object({ anchor, signature: z.string() })

/**
 * The anchor of a book; undefined where it has none.
 * @param secret of the data folder; undefined where a copy has come without it.
 * @throws Error when the file cannot be understood.
 */
export function readAnchor(bookPath: string, secret: string | undefined): ReadAnchor | undefined {
  const path = anchorPath(bookPath)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, "utf8")
  const file = anchorFile.safeParse(parsed(text))
  if (!file.success) throw new Error(`${path} is damaged`)
  const { signature } = file.data
  const expected = secret === undefined ? undefined : signatureOf(file.data.anchor, secret)
  return {
    anchor: file.data.anchor,
    isGenuine: expected === undefined ? null : isSame(signature, expected),
  }
}

/** Writes an anchor so that its file is always whole. */
export async function writeAnchor(bookPath: string, value: Anchor, secret: string): Promise<void> {
  const path = anchorPath(bookPath)
  // Processes of two containers may have one number.
  const draft = `${path}.${randomUUID()}`
  const text = JSON.stringify({ anchor: value, signature: signatureOf(value, secret) })
  try {
    await writeDurably(draft, `${text}\n`)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(text)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Keeps the anchor of a book that another takes the place of, under another name. @returns that name. */
export function setAnchorAside(bookPath: string, now = new Date()): string | undefined {
  const path = anchorPath(bookPath)
  if (!existsSync(path)) return undefined
  const aside = `${path}.${now.toISOString().replaceAll(":", "-")}`
  renameSync(path, aside)
  return aside
}

function signatureOf(value: Anchor, secret: string): string {
  const key = createHmac("sha256", secret).update("tollgate book anchor").digest()
  return createHmac("sha256", key)
    .update(JSON.stringify(anchor.parse(value)))
    .digest("hex")
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const MODULUS = 2n ** 256n
const HASH_BYTES = 32
const WORD_BYTES = 4
const WORDS = HASH_BYTES / WORD_BYTES

/** Adds up hashes: whatever their order, another set of them has another sum. */
export class HashSum {
  #sum: bigint
  count: number

  constructor(sum = "", count = 0) {
    this.#sum = sum === "" ? 0n : BigInt(`0x${sum}`)
    this.count = count
  }

  /** @param hash null for a row of before there were hashes: it is counted. */
  add(hash: string | null): void {
    this.count++
    // A hash that somebody has put there is none, and its row is found to be wrong by others.
    if (hash !== null && HASH.test(hash)) this.#sum += BigInt(`0x${hash}`)
  }

  /**
   * Adds many at once, which costs a tenth: word by word, since a few thousand of those add up exactly as numbers.
   * @param hashes one behind the other.
   * @returns false when they are not that many hashes; then nothing is added.
   */
  addJoined(hashes: string, count: number): boolean {
    const bytes = Buffer.from(hashes, "hex")
    const length = count * HASH_BYTES
    if (bytes.length !== length || hashes.length !== 2 * length) return false
    const words = Array.from({ length: WORDS }, () => 0)
    for (let at = 0; at < length; at += WORD_BYTES) {
      const word = (at / WORD_BYTES) % WORDS
      words[word] = (words[word] ?? 0) + bytes.readUInt32BE(at)
    }
    let sum = 0n
    for (const word of words) sum = (sum << 32n) + BigInt(word)
    this.#sum += sum
    this.count += count
    return true
  }

  get text(): string {
    return (this.#sum % MODULUS).toString(16).padStart(2 * HASH_BYTES, "0")
  }
}

const HASH = /^[0-9a-f]{64}$/
