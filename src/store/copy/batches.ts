import type { CopiedRow, CopiedValue } from "./copy.ts"

/** Maximum number of rows, and maximum bytes, of one batch in memory. */
const MAX_ROWS = 1_000
const MAX_BYTES = 4 * 1024 * 1024

/** Divides rows into small batches, so that they need little memory. */
export function* batchesOf(rows: Iterable<CopiedRow>): Generator<readonly CopiedRow[]> {
  let batch: CopiedRow[] = []
  let bytes = 0
  for (const row of rows) {
    batch.push(row)
    bytes += row.reduce((sum: number, value) => sum + sizeOf(value), 0)
    if (batch.length < MAX_ROWS && bytes < MAX_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

function sizeOf(value: CopiedValue): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 0
}
