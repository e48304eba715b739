import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { existsSync, readFileSync, renameSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import * as z from "zod"
import { type Anchor, anchorSchema } from "../accounting/anchor.ts"

/** The path of a data folder's anchor, which has its own file. */
export function anchorPath(data: string): string {
  return join(data, "anchor.json")
}

/** The contents of an anchor file. */
export interface ReadAnchor {
  readonly anchor: Anchor
  /** Null where the secret to check it is missing. */
  readonly isGenuine: boolean | null
}

const anchorFile = z.object({ anchor: anchorSchema, signature: z.string() })

/**
 * The anchor of a ledger; undefined where it has none.
 * @param secret of the data folder; undefined for a copy without its secret.
 * @throws Error when the file cannot be parsed.
 */
export function readAnchor(data: string, secret: string | undefined): ReadAnchor | undefined {
  const path = anchorPath(data)
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

/** Writes an anchor atomically. */
export async function writeAnchor(data: string, value: Anchor, secret: string): Promise<void> {
  const path = anchorPath(data)
  // Processes in two containers may have the same id.
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

/** Renames the anchor of a ledger that is replaced. @returns the new name. */
export function setAnchorAside(data: string, now = new Date()): string | undefined {
  const path = anchorPath(data)
  if (!existsSync(path)) return undefined
  const aside = `${path}.${now.toISOString().replaceAll(":", "-")}`
  renameSync(path, aside)
  return aside
}

function signatureOf(value: Anchor, secret: string): string {
  const key = createHmac("sha256", secret).update("tollgate book anchor").digest()
  return createHmac("sha256", key)
    .update(JSON.stringify(anchorSchema.parse(value)))
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
