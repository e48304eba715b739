import { existsSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { type Anchor, anchorSchema } from "../accounting/anchor.ts"
import { isSameSignature, parsedJson, replaceFile, signature } from "./signed-file.ts"

/** Returns the path of a data folder's anchor file. */
export function anchorPath(data: string): string {
  return join(data, "anchor.json")
}

/** The contents of an anchor file. */
export interface ReadAnchor {
  readonly anchor: Anchor
  /** Whether the signature is valid; null if the secret for verifying it is missing. */
  readonly isGenuine: boolean | null
}

const anchorFile = z.object({ anchor: anchorSchema, signature: z.string() })

/**
 * Reads the anchor file; undefined if it does not exist.
 * @param secret the data folder's secret; undefined for a copy without its secret.
 * @throws Error if the file is damaged.
 */
export function readAnchor(data: string, secret: string | undefined): ReadAnchor | undefined {
  const path = anchorPath(data)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, "utf8")
  const file = anchorFile.safeParse(parsedJson(text))
  if (!file.success) throw new Error(`${path} is damaged`)
  const { anchor } = file.data
  const expected = secret === undefined ? undefined : signatureOf(anchor, secret)
  return {
    anchor,
    isGenuine: expected === undefined ? null : isSameSignature(file.data.signature, expected),
  }
}

/** Writes an anchor atomically. */
export async function writeAnchor(data: string, value: Anchor, secret: string): Promise<void> {
  const text = JSON.stringify({ anchor: value, signature: signatureOf(value, secret) })
  await replaceFile(anchorPath(data), `${text}\n`)
}

/**
 * Renames the anchor file of a ledger that was replaced.
 * @returns the new path.
 */
export function setAnchorAside(data: string, now = new Date()): string | undefined {
  const path = anchorPath(data)
  if (!existsSync(path)) return undefined
  const aside = `${path}.${now.toISOString().replaceAll(":", "-")}`
  renameSync(path, aside)
  return aside
}

function signatureOf(value: Anchor, secret: string): string {
  return signature(JSON.stringify(anchorSchema.parse(value)), secret, "tollgate ledger anchor")
}
