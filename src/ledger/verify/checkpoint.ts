import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { isSameSignature, parsedJson, replaceFile, signature } from "../signed-file.ts"

const amount = z.string().regex(/^-?\d+$/)

const checkpointSchema = z.object({
  /** Time of the checkpoint in Unix milliseconds. */
  at: z.int(),
  /** The number of removed rows. If more rows are removed, the checkpoint becomes unusable. */
  prunedRows: z.int(),
  /** The last checked entry of each account. */
  accounts: z.record(z.string(), z.object({ number: z.int(), hash: z.string(), balance: amount })),
  /** The amounts that the charges of these entries drew on each budget. */
  spent: z.record(z.string(), amount),
  rows: z.object({
    /** The last checked row. All rows up to this one were checked. */
    last: z.int(),
    count: z.int(),
    hashSum: z.string(),
    receipts: z.int(),
  }),
})

/** The progress of a verification of the ledger, from which the next verification continues. */
export type Checkpoint = z.infer<typeof checkpointSchema>

const checkpointFile = z.object({ checkpoint: checkpointSchema, signature: z.string() })

export function checkpointPath(data: string): string {
  return join(data, "verified.json")
}

/** Reads the checkpoint. Returns undefined if there is none, or if it is not signed with the data folder's secret. */
export function readCheckpoint(data: string, secret: string): Checkpoint | undefined {
  const path = checkpointPath(data)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  const file = checkpointFile.safeParse(parsedJson(readFileSync(path, "utf8")))
  if (!file.success) return undefined
  const { checkpoint } = file.data
  return isSameSignature(file.data.signature, signatureOf(checkpoint, secret))
    ? checkpoint
    : undefined
}

/** Writes a checkpoint atomically. */
export async function writeCheckpoint(
  data: string,
  checkpoint: Checkpoint,
  secret: string,
): Promise<void> {
  const text = JSON.stringify({ checkpoint, signature: signatureOf(checkpoint, secret) })
  await replaceFile(checkpointPath(data), `${text}\n`)
}

function signatureOf(checkpoint: Checkpoint, secret: string): string {
  const text = JSON.stringify(checkpointSchema.parse(checkpoint))
  return signature(text, secret, "tollgate ledger checkpoint")
}
