import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseCredits } from "../../src/ledger/money.ts"

/** The manifest of an export. */
export interface Manifest {
  readonly rows: string
  readonly account: string | null
  readonly since: string | null
  readonly removed_before: string | null
  readonly files: readonly {
    readonly path: string
    readonly rows?: number
    readonly bytes: number
    readonly sha256: string
  }[]
}

export type Row = Readonly<Record<string, unknown>>

/** An export in a folder. */
export class Exported {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  get manifest(): Manifest {
    return JSON.parse(this.text("manifest.json")) as Manifest
  }

  text(name: string): string {
    return readFileSync(join(this.folder, name), "utf8")
  }

  rows(name: string): Row[] {
    const lines = this.text(`${name}.jsonl`).split("\n")
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Row)
  }

  /** Returns the differences between the folder and its manifest. */
  faults(): string[] {
    const { files } = this.manifest
    const named = ["manifest.json", ...files.map(({ path }) => path)]
    const extra = readdirSync(this.folder).filter((name) => !named.includes(name))
    const wrong = files.filter(({ path, bytes, sha256 }) => {
      const found = readFileSync(join(this.folder, path))
      const hash = createHash("sha256").update(found).digest("hex")
      return found.length !== bytes || hash !== sha256
    })
    const open = named.filter((name) => (statSync(join(this.folder, name)).mode & 0o077) !== 0)
    const short = files.filter(
      ({ path, rows }) => path.endsWith(".jsonl") && this.rows(path.slice(0, -6)).length !== rows,
    )
    return [...extra, ...wrong.map(({ path }) => path), ...open, ...short.map(({ path }) => path)]
  }

  /** Returns the accounts whose exported entries do not add up to the final balance. */
  unequal(): unknown[] {
    const sums = new Map<unknown, bigint>()
    for (const { account, amount } of this.rows("entries")) {
      sums.set(account, (sums.get(account) ?? 0n) + parseCredits(String(amount)))
    }
    return this.rows("balances")
      .filter(({ account, opening_balance, closing_balance }) => {
        const opening = parseCredits(String(opening_balance))
        return opening + (sums.get(account) ?? 0n) !== parseCredits(String(closing_balance))
      })
      .map(({ account }) => account)
  }
}

/** Parses the cells of a CSV file (RFC 4180). */
export function cellsOf(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'))
    if (end === ",") continue
    rows.push(row)
    row = []
  }
  return rows
}
