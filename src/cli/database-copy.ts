import { resolve } from "node:path"
import type { Command } from "commander"
import { type LoadOptions, loadSettings } from "../config/load.ts"
import { verifyAudit } from "../ledger/verify/audit.ts"
import { type Verdict, verifyLedgers } from "../ledger/verify/ledgers.ts"
import type { CopyCounts } from "../store/copy/copy.ts"
import { type DatabasePlace, databaseOf } from "../store/installation-database.ts"
import { journalState } from "../store/installation-journal.ts"
import type { StoreReader } from "../store/store.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { DATABASE_GROUP } from "./database.ts"
import { CommandError } from "./exit-codes.ts"
import { inspectLedger } from "./inspect-ledger.ts"
import { loadOptions } from "./load-options.ts"

const ADDRESSES = "source: sqlite, sqlite:FOLDER, postgres (from the settings) or postgres://..."

/** `tollgate database copy --from ADDRESS --to ADDRESS` */
export const registerDatabaseCopy: RegisterCommand = (program, terminal) => {
  commandGroup(program, ...DATABASE_GROUP)
    .command("copy")
    .description("copy all data to an empty database, SQLite or PostgreSQL, and verify the copy")
    .requiredOption("--from <ADDRESS>", ADDRESSES)
    .requiredOption("--to <ADDRESS>", "target, in the same form")
    .action(async (options: { from: string; to: string }, command: Command) => {
      const load = loadOptions(command)
      const from = placeAt(options.from, load)
      const to = placeAt(options.to, load)
      requirePosted(from)
      const { counts, verdict } = await copyDatabase(from, to)
      const places = { from: databaseOf(from).place, to: databaseOf(to).place }
      const document = {
        ...places,
        accounts: verdict.accounts,
        entries: verdict.entries,
        copied: counts,
      }
      outputOf(command, terminal).fields(document, [
        ["from", places.from],
        ["to", places.to],
        ["copied", wordsOf(counts)],
        ["verdict", "identical ledger: every row is correct, and every sum matches"],
        ["next", "start the gateway with the new address; the old database is unchanged"],
      ])
    })
}

function wordsOf(counts: CopyCounts): string {
  const found = Object.entries(counts).filter(([, count]) => count > 0)
  return found.map(([name, count]) => `${count} ${name.replaceAll("_", " ")}`).join("\n")
}

/**
 * Returns the database at an address.
 * @throws CommandError, ConfigError if the address is unusable.
 */
function placeAt(address: string, load: LoadOptions): DatabasePlace {
  const { settings } = loadSettings(load)
  const { data } = settings
  if (address === "sqlite") return { data }
  if (address.startsWith("sqlite:")) return { data: resolve(address.slice("sqlite:".length)) }
  if (address === "postgres" && settings.database) return { data, database: settings.database }
  if (/^postgres(ql)?:\/\//.test(address)) {
    // The configuration provides the other database settings: whether insecure connections are allowed, and the secret.
    const environment = { ...load.environment, TOLLGATE_DATABASE_URL: address }
    return { data, database: loadSettings({ ...load, environment }).settings.database }
  }
  const message =
    address === "postgres"
      ? "the settings have no address of a PostgreSQL database"
      : `'${address}' is not the address of a database`
  throw new CommandError("usage", message, `Addresses are ${ADDRESSES}.`)
}

/** Rejects a copy while charges are pending in a journal, because the copy would lack them. */
function requirePosted({ data, database }: DatabasePlace): void {
  const waiting = database === undefined ? 0 : (journalState(data)?.waiting ?? 0)
  if (waiting === 0) return
  throw new CommandError(
    "failed",
    `${waiting} charges are pending in the journal of ${data}`,
    "Start a gateway on this data folder, which posts them, and stop it.",
  )
}

async function copyDatabase(
  from: DatabasePlace,
  to: DatabasePlace,
): Promise<{ counts: CopyCounts; verdict: Verdict }> {
  const source = databaseOf(from)
  return source.copyFrom(async (rows) => {
    const { verdict, audit } = await inspectLedger(from)
    const wrong = verdict.problems[0] ?? audit.problem
    if (wrong) {
      const hint = "Find the cause with: tollgate ledger verify"
      throw new CommandError("failed", `the ledger has been altered: ${wrong.message}`, hint)
    }
    await using reader = await source.openReader()
    const expected = { verdict, auditRecords: audit.records, balances: await balancesOf(reader) }
    const counts = await databaseOf(to).copyTo(rows, (copy) => requireSame(copy, expected))
    return { counts, verdict }
  })
}

interface Expected {
  readonly verdict: Verdict
  readonly auditRecords: number
  readonly balances: ReadonlyMap<string, bigint>
}

/**
 * Compares the copy with the original.
 * @throws CommandError if the copy is not the same ledger.
 */
async function requireSame(copy: StoreReader, expected: Expected): Promise<void> {
  const verdict = await verifyLedgers(copy)
  const audit = await verifyAudit(copy, [(await copy.integrity.findAnchor()).audit])
  const wrong = verdict.problems[0] ?? audit.problem
  const balances = await balancesOf(copy)
  const isSame =
    sizesOf(verdict) === sizesOf(expected.verdict) &&
    audit.records === expected.auditRecords &&
    balances.size === expected.balances.size &&
    [...expected.balances].every(([account, balance]) => balances.get(account) === balance)
  if (!wrong && isSame) return
  throw new CommandError(
    "failed",
    `the copy is not the same ledger: ${wrong?.message ?? `${sizesOf(verdict)} instead of ${sizesOf(expected.verdict)}`}`,
    "The gateway does not start with this copy. Delete it. Check the database server's log and the disk before you copy again.",
  )
}

function sizesOf({ accounts, entries, receipts, writeOffs }: Verdict): string {
  return `${accounts} accounts, ${entries} entries, ${receipts} receipts, ${writeOffs} write-offs`
}

async function balancesOf(reader: StoreReader): Promise<Map<string, bigint>> {
  const accounts = await reader.accounts.list()
  return new Map(accounts.map(({ id, balance }) => [id, balance]))
}
