/** Creates a data folder with a large ledger for measurements: `npm run bench:ledger -- FOLDER`. */
import { parseArgs } from "node:util"
import { type LedgerSize, makeLargeLedger } from "./make.ts"

const DEFAULTS = { accounts: "1000", keys: "5000", entries: "9000000", days: "90" }

const USAGE = `usage: npm run bench:ledger -- FOLDER [options]

Makes a data folder with a long ledger. FOLDER must be empty, or not there yet. The keys' secrets are in keys.txt.

  --entries N    requests with their receipts (${DEFAULTS.entries}, about 10 GB)
  --accounts N   accounts (${DEFAULTS.accounts})
  --keys N       keys of all accounts together (${DEFAULTS.keys})
  --days N       the time over which the requests are spread, up to now (${DEFAULTS.days})
`
/** Interval of progress messages. */
const PROGRESS_INTERVAL_MS = 5_000
const WRONG_USAGE = 2

function numberOf(name: keyof LedgerSize, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  throw new Error(`--${name} has to be a whole number, and is '${text}'`)
}

function readSize(words: readonly string[]): { folder: string; size: LedgerSize } {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      accounts: { type: "string", default: DEFAULTS.accounts },
      keys: { type: "string", default: DEFAULTS.keys },
      entries: { type: "string", default: DEFAULTS.entries },
      days: { type: "string", default: DEFAULTS.days },
    },
  })
  const [folder] = positionals
  if (folder === undefined || positionals.length > 1) throw new Error("name one folder")
  return {
    folder,
    size: {
      accounts: numberOf("accounts", values.accounts),
      keys: numberOf("keys", values.keys),
      entries: numberOf("entries", values.entries),
      days: numberOf("days", values.days),
    },
  }
}

async function main(): Promise<number> {
  let order: ReturnType<typeof readSize>
  try {
    order = readSize(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    return WRONG_USAGE
  }
  const begun = performance.now()
  let said = begun
  const made = await makeLargeLedger(order.folder, order.size, (entries) => {
    if (performance.now() - said < PROGRESS_INTERVAL_MS) return
    said = performance.now()
    console.error(`${entries} of ${order.size.entries}, ${secondsSince(begun)} s`)
  })
  const gigabytes = (made.size / 1e9).toFixed(2)
  console.log(
    `${order.folder}: ${gigabytes} GB in ${secondsSince(begun)} s\nkey: ${made.secrets[0]}`,
  )
  return 0
}

function secondsSince(begun: number): string {
  return ((performance.now() - begun) / 1_000).toFixed(0)
}

process.exitCode = await main()
