import { loadSettings } from "../config/load.ts"
import type { LedgerProblem } from "../ledger/verify/problem.ts"
import { type Checkpoint, readCheckpoint, writeCheckpoint } from "../ledger/verify/checkpoint.ts"
import type { Verdict } from "../ledger/verify/ledgers.ts"
import type { VerifyProgress } from "../ledger/verify/progress.ts"
import { type DatabasePlace, databaseOf } from "../store/installation-database.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { failureOf } from "./failure.ts"
import { loadOptions } from "./load-options.ts"
import { anchorWords, type LedgerInspection, inspectLedger } from "./inspect-ledger.ts"
import { formatFields, type Output, type Style } from "./output.ts"
import { progressReporter } from "./verify-progress.ts"

const CHECKPOINT_INTERVAL_MS = 10_000

/** `tollgate ledger verify` */
export const registerLedgerVerify: RegisterCommand = (program, terminal) => {
  commandGroup(program, "ledger", "check the ledger")
    .command("verify")
    .description("verify the ledger without changing it; --data selects a copy")
    .option(
      "--continue",
      "continue where the last verification with --continue ended, and record where this one ends",
    )
    .action(async (options: { continue?: boolean }, command) => {
      const { settings } = loadSettings(loadOptions(command))
      const output = outputOf(command, terminal)
      const inspection =
        options.continue === true
          ? await inspectFurther(settings, output)
          : await inspectLedger(settings, { onPage: progressReporter(output) })
      const found = problemsOf(inspection)
      output.result(documentOf(inspection), (style) => describe(inspection, found, style))
      if (found.length === 0) return
      throw new CommandError(
        "failed",
        `the ledger has been altered: ${found[0]}`,
        "The database was changed outside Tollgate. Compare it with a backup.",
      )
    })
}

/**
 * Continues from the signed checkpoint of the data folder, if there is one, and writes new checkpoints. They are also
 * written at intervals, so that an interrupted verification can be resumed.
 */
async function inspectFurther(place: DatabasePlace, output: Output): Promise<LedgerInspection> {
  const secrets = await databaseOf(place).openSecrets()
  const secret = secrets.read("key-pepper")
  if (secret === undefined) {
    const hint = "Verify all of it, without --continue."
    throw new CommandError("failed", "the folder has no secrets to sign a checkpoint with", hint)
  }
  const from = readCheckpoint(place.data, secret)
  const report = progressReporter(output)
  let writtenAt = performance.now()
  let last: VerifyProgress | undefined
  const onPage = async (progress: VerifyProgress): Promise<void> => {
    last = progress
    report(progress)
    if (performance.now() - writtenAt < CHECKPOINT_INTERVAL_MS) return
    await keep(progress)
    writtenAt = performance.now()
  }
  // Checkpoints are optional, so that a read-only folder can be verified.
  const keep = (progress: VerifyProgress): Promise<void> =>
    writeCheckpoint(place.data, progress.checkpoint(Date.now()), secret).catch((error: unknown) => {
      output.notice(`the checkpoint cannot be stored: ${failureOf(error).message}`)
    })
  const inspection = await inspectLedger(place, { from, onPage })
  if (last) await keep(last)
  return inspection
}

function documentOf({ path, hasLog, anchor, verdict, audit }: LedgerInspection): object {
  const { accounts, entries, receipts, writeOffs, problems } = verdict
  return {
    ledger: path,
    with_log: hasLog,
    anchor: anchor
      ? {
          rows: anchor.anchor.rowCount,
          at: new Date(anchor.anchor.at).toISOString(),
          genuine: anchor.isGenuine,
        }
      : null,
    is_right: problems.length === 0 && audit.problem === null,
    accounts,
    entries,
    uncharged_receipts: receipts,
    write_offs: writeOffs,
    problems,
    continued_from: verdict.from && {
      at: new Date(verdict.from.at).toISOString(),
      entries: earlierEntries(verdict.from),
    },
    audit: { records: audit.records, problem: audit.problem },
  }
}

function describe(inspection: LedgerInspection, found: readonly string[], style: Style): string {
  const { path, hasLog, anchor, verdict, audit } = inspection
  const isRight = found.length === 0
  return [
    formatFields(
      [
        ["ledger", `${path}, ${hasLog ? "with its log" : "no log to read"}`],
        ["accounts", String(verdict.accounts)],
        ["entries", entryWords(verdict)],
        ["receipts", `${verdict.receipts} of requests that were not charged`],
        ["write-offs", String(verdict.writeOffs)],
        ["audit records", String(audit.records)],
        ["anchor", anchorWords(anchor)],
        ["verdict", isRight ? "every row is correct" : style.alarm("wrong")],
      ],
      style,
    ),
    ...found,
  ].join("\n")
}

function entryWords({ entries, from }: Verdict): string {
  if (from === null) return String(entries)
  const moment = new Date(from.at).toISOString()
  return `${entries}, after ${earlierEntries(from)} that were verified until ${moment} and were not read again`
}

/** Returns the number of entries that a checkpoint covers. Entries are numbered from 1 in each account. */
function earlierEntries({ accounts }: Checkpoint): number {
  return Object.values(accounts).reduce((sum, { number }) => sum + number, 0)
}

function problemsOf({ verdict, audit }: LedgerInspection): string[] {
  const found = verdict.problems.map(problemText)
  if (audit.problem !== null) {
    found.push(`audit record ${audit.problem.number}: ${audit.problem.message}`)
  }
  return found
}

function problemText({ account, number, message }: LedgerProblem): string {
  const place = [
    ...(account === null ? [] : [`account ${account}`]),
    ...(number === null ? [] : [`entry ${number}`]),
  ]
  return place.length === 0 ? message : `${place.join(", ")}: ${message}`
}
