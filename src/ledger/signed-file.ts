import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { open, rename, rm } from "node:fs/promises"

/** Signs a text for one purpose with a data folder's secret. Returns hexadecimal text. */
export function signature(text: string, secret: string, purpose: string): string {
  const key = createHmac("sha256", secret).update(purpose).digest()
  return createHmac("sha256", key).update(text).digest("hex")
}

export function isSameSignature(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes a file atomically. Even after a crash, it has either its old or its new content. */
export async function replaceFile(path: string, text: string): Promise<void> {
  // The process id would not be unique, because processes in two containers may have the same id.
  const draft = `${path}.${randomUUID()}`
  try {
    await writeDurably(draft, text)
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
