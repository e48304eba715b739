import { verifyAudit } from "../store/verify-audit.ts"
import type { BookProblem } from "../store/book-problem.ts"
import { verifyBooks } from "../store/verify.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { withInstallation } from "./installation.ts"
import { formatFields } from "./output.ts"

/** `tollgate ledger verify` */
export const registerLedgerVerify: RegisterCommand = (program, terminal) => {
  commandGroup(program, "ledger", "the book of all accounts")
    .command("verify")
    .description("walk every book and the audit log, and name the first wrong row")
    .action(async (_options: object, command) => {
      const { verdict, audit } = await withInstallation(command, async ({ store }) => ({
        verdict: await verifyBooks(store),
        audit: await verifyAudit(store),
      }))
      const { accounts, entries, problems } = verdict
      const isRight = problems.length === 0 && audit.problem === null
      const document = {
        is_right: isRight,
        accounts,
        entries,
        problems,
        audit: { records: audit.records, problem: audit.problem },
      }
      const found = problems.map(problemText)
      if (audit.problem !== null) {
        found.push(`audit record ${audit.problem.number}: ${audit.problem.message}`)
      }
      outputOf(command, terminal).result(document, (style) =>
        [
          formatFields(
            [
              ["accounts", String(accounts)],
              ["entries", String(entries)],
              ["audit records", String(audit.records)],
              ["verdict", isRight ? "every row is right" : style.alarm("wrong")],
            ],
            style,
          ),
          ...found,
        ].join("\n"),
      )
      if (isRight) return
      throw new CommandError(
        "failed",
        `the book is not what was written: ${found[0]}`,
        "Somebody or something else has changed the database. Compare it with a backup.",
      )
    })
}

function problemText({ account, number, message }: BookProblem): string {
  return number === null
    ? `account ${account}: ${message}`
    : `account ${account}, entry ${number}: ${message}`
}
