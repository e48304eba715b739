import type { BillingGaps } from "#contract/billing-gaps.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { BillingGapReports } from "../management/billing-gaps.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { momentArgument } from "./parse.ts"

interface GapOptions {
  readonly from: number
  readonly to: number
  readonly account?: string
}

/** `tollgate billing-gaps --from DAY --to DAY [--account ACCOUNT]` */
export const registerBillingGaps: RegisterCommand = (program, terminal) => {
  program
    .command("billing-gaps")
    .description(
      "list estimated charges, unpriced features, write-offs and uncharged provider cost",
    )
    .requiredOption(
      "--from <MOMENT>",
      "start: a day, such as 2026-11-01, or a time",
      momentArgument,
    )
    .requiredOption("--to <MOMENT>", "end, exclusive", momentArgument)
    .option("--account <ACCOUNT>", "name or id of the only account to include")
    .action(async (options: GapOptions, command) => {
      const from = new Date(options.from).toISOString()
      const to = new Date(options.to).toISOString()
      const report = await withInstallation(command, async ({ store }) => {
        const { account } = options
        const id = account === undefined ? undefined : (await requireAccount(store, account)).id
        const reports = new BillingGapReports(store)
        return reports.report(COMMAND_LINE, { account: id, from, to }, Number.POSITIVE_INFINITY)
      })
      outputOf(command, terminal).result(report, () => words(report))
    })
}

const TITLES = [
  ["estimated", "charged by the gateway's own count"],
  ["unpriced", "charged with features without a price"],
  ["written_off", "written off"],
  ["uncharged", "uncharged provider cost"],
] as const

function words(report: BillingGaps): string {
  const lines = [`${report.receipts} receipts`]
  for (const [kind, title] of TITLES) {
    const { requests, amount, rows } = report[kind]
    lines.push(`${title}: ${amount} credits, ${requests} requests`)
    for (const row of rows)
      lines.push(`  ${row.name}: ${row.amount} credits, ${row.requests} requests`)
  }
  return lines.join("\n")
}
