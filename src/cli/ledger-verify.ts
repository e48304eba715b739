import { loadSettings } from "../config/load.ts"
import type { LedgerProblem } from "../ledger/verify/problem.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { loadOptions } from "./load-options.ts"
import { anchorWords, type LedgerInspection, inspectLedger } from "./inspect-ledger.ts"
import { formatFields, type Style } from "./output.ts"

/** `tollgate ledger verify` */
export const registerLedgerVerify: RegisterCommand = (program, terminal) => {
  commandGroup(program, "ledger", "the ledger of all accounts")
    .command("verify")
    .description("verify the entire ledger, or a copy of it with --data; changes nothing")
    .action(async (_options: object, command) => {
      const look = await inspectLedger(loadSettings(loadOptions(command)).settings)
      const found = problemsOf(look)
      outputOf(command, terminal).result(documentOf(look), (style) => describe(look, found, style))
      if (found.length === 0) return
      throw new CommandError(
        "failed",
        `the ledger is not what was written: ${found[0]}`,
        "Somebody or something else has changed the database. Compare it with a backup.",
      )
    })
}

function documentOf({ path, hasLog, anchor, verdict, audit }: LedgerInspection): object {
  const { accounts, entries, receipts, writeOffs, problems } = verdict
  return {
    book: path,
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
    audit: { records: audit.records, problem: audit.problem },
  }
}

function describe(look: LedgerInspection, found: readonly string[], style: Style): string {
  const { path, hasLog, anchor, verdict, audit } = look
  const isRight = found.length === 0
  return [
    formatFields(
      [
        ["ledger", `${path}, ${hasLog ? "with its log" : "no log to read"}`],
        ["accounts", String(verdict.accounts)],
        ["entries", String(verdict.entries)],
        ["receipts", `${verdict.receipts} of requests that were not charged`],
        ["write-offs", String(verdict.writeOffs)],
        ["audit records", String(audit.records)],
        ["anchor", anchorWords(anchor)],
        ["verdict", isRight ? "every row is right" : style.alarm("wrong")],
      ],
      style,
    ),
    ...found,
  ].join("\n")
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
