import { DIFFERENCE_CAUSES, type Reconciliation } from "#contract/reconciliations.ts"
import { type Command, InvalidArgumentError } from "commander"
import { runtimeConfigOf } from "../app/state.ts"
import { loadSettings } from "../config/load.ts"
import type { ProviderSettings } from "../config/settings.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { BillError, type Bill } from "../management/reconciliation/bill.ts"
import { readBillFile } from "../management/reconciliation/bill-file.ts"
import { readColumns } from "../management/reconciliation/bill-formats.ts"
import { COST_APIS } from "../management/reconciliation/cost-apis.ts"
import { checkDays, Reconciliations } from "../management/reconciliation/reconciliations.ts"
import type { TimeRange } from "../store/settlements.ts"
import { vendors } from "../vendors/index.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { withInstallation } from "./installation.ts"
import { loadOptions } from "./load-options.ts"
import { type Column, formatTable, type Style } from "./output.ts"
import { dayArgument } from "./parse.ts"
import { wholeSettings } from "./whole-settings.ts"

interface ReconcileOptions {
  readonly provider: string
  readonly from: string
  readonly to: string
  readonly file?: string
  readonly columns?: string
  readonly models?: ReadonlyMap<string, string>
  readonly keys?: ReadonlyMap<string, string>
  readonly keyVariable?: string
  readonly post?: boolean
  readonly reason?: string
}

/** `tollgate reconcile --provider PROVIDER --from DAY --to DAY [--file FILE] [--post --reason TEXT]` */
export const registerReconcile: RegisterCommand = (program, terminal) => {
  program
    .command("reconcile")
    .description("compare a provider's bill with the ledger, and post the difference")
    .requiredOption("--provider <PROVIDER>", "name of the provider in the settings, such as openai")
    .requiredOption("--from <DAY>", "the first day in UTC, such as 2026-11-01", dayArgument)
    .requiredOption("--to <DAY>", "the day after the last day", dayArgument)
    .option("--file <FILE>", "an exported bill as CSV (default: the provider's cost API)")
    .option(
      "--columns <FIELD=COLUMN,...>",
      "columns of another CSV format: date, model, cost; optional: end, key, class, currency, quantity, unit",
    )
    .option("--models <TEXT=MODEL,...>", "models for names in the bill", pairsArgument)
    .option(
      "--keys <ID=NAME,...>",
      "compare by key, with key names for ids in the bill",
      pairsArgument,
    )
    .option("--key-variable <NAME>", "environment variable with the admin key of the provider")
    .option("--post", "post the difference as a correction of the provider cost")
    .option("--reason <TEXT>", "the reason for the correction, for the audit log")
    .action(async (options: ReconcileOptions, command: Command) => {
      const result = await reconcile(options, command).catch((error: unknown) => {
        if (!(error instanceof BillError)) throw error
        throw new CommandError("failed", error.message, error.hint)
      })
      outputOf(command, terminal).result(result, (style) => resultText(result, style))
    })
}

async function reconcile(options: ReconcileOptions, command: Command): Promise<Reconciliation> {
  const { provider: id, file, columns, models: aliases, keys } = options
  const reason = options.reason?.trim() || undefined
  if ((options.post === true) !== (reason !== undefined)) {
    throw new CommandError("usage", "--post and --reason belong together", "Use both, or neither.")
  }
  const days = { from: Date.parse(options.from), until: Date.parse(options.to) }
  checkDays(days, Date.now())
  const load = loadOptions(command)
  const { settings, lists } = await wholeSettings(load, loadSettings(load))
  const provider = Object.hasOwn(settings.providers, id) ? settings.providers[id] : undefined
  if (provider === undefined) {
    const names = Object.keys(settings.providers).join(", ")
    throw new CommandError(
      "not_found",
      `there is no provider '${id}'`,
      `Configured providers: ${names}`,
    )
  }
  const mapped = columns === undefined ? undefined : readColumns(columns)
  const bill =
    file === undefined
      ? await readCosts(provider, days, options.keyVariable)
      : await readBillFile(file, days, mapped)
  if (bill.rows.length === 0) {
    const skipped = bill.skipped === 0 ? "" : `; ${bill.skipped} are for other days or services`
    throw new BillError(`the bill has no rows for these days${skipped}`, "Check the days.")
  }
  const { catalog } = runtimeConfigOf(settings, lists).config
  const models = catalog
    .list()
    .flatMap(({ deployments }) => deployments)
    .filter((deployment) => deployment.provider === id)
    .map(({ upstreamModel }) => upstreamModel)
  return withInstallation(command, ({ store, audit }) =>
    new Reconciliations(store, audit).reconcile(COMMAND_LINE, {
      provider: id,
      days,
      bill,
      models,
      aliases,
      keys,
      reason,
    }),
  )
}

/**
 * Reads the costs from a file or from the provider.
 * @throws CommandError, BillError
 */
async function readCosts(
  provider: ProviderSettings,
  days: TimeRange,
  variable: string | undefined,
): Promise<Bill> {
  const api = COST_APIS.get(provider.vendor)
  const baseUrl = vendors.get(provider.vendor)?.baseUrlOf(provider)
  if (api === undefined || baseUrl === undefined) {
    const known = [...COST_APIS.keys()].join(", ")
    throw new CommandError(
      "usage",
      `no cost API is known for the vendor '${provider.vendor}'`,
      `Export its bill and use --file. Cost APIs are known for: ${known}`,
    )
  }
  const keyVariable = variable ?? api.keyVariable
  const key = process.env[keyVariable]?.trim() ?? ""
  if (key === "") {
    throw new CommandError(
      "configuration",
      `${keyVariable} is not set`,
      `${api.name} needs an admin or management key: set it for this command, or use --file.`,
    )
  }
  const allowsPrivate = provider.baseUrl !== undefined
  const headers = { ...provider.headers, ...api.headers(key) }
  return api.read({ name: api.name, baseUrl, headers, allowsPrivate, keyVariable }, days)
}

/** Parses `id=name,...`. The name may be empty for a provider's only key. */
function pairsArgument(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(",").map((pair) => {
    const at = pair.lastIndexOf("=")
    if (at < 1) {
      throw new InvalidArgumentError(
        `'${pair}' must be a name in the bill, '=' and a name in Tollgate.`,
      )
    }
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const
  })
  return new Map(pairs)
}

const COLUMNS: readonly Column<Reconciliation["lines"][number]>[] = [
  { title: "DAY", cell: ({ day }) => day },
  {
    title: "MODEL",
    cell: ({ model, key }) => (key === null || key === "" ? model : `${model}#${key}`),
  },
  { title: "CLASS", cell: (line) => line.class ?? "" },
  { title: "BILLED", align: "right", cell: ({ billed }) => billed },
  { title: "LEDGER", align: "right", cell: ({ ledger }) => ledger },
  { title: "DIFFERENCE", align: "right", cell: ({ difference }) => difference },
  { title: "CAUSE", cell: ({ cause }) => cause },
]

function resultText(result: Reconciliation, style: Style): string {
  const { provider, from, to, source, causes, lines, posted } = result
  const skipped = result.skipped_rows === 0 ? "" : `, ${result.skipped_rows} rows skipped`
  const text = [
    `${provider}, from ${from} to ${to}: ${source}${skipped}`,
    `billed:     ${result.billed} credits`,
    `ledger:     ${result.ledger} credits`,
    `corrected:  ${result.corrected} credits`,
    `difference: ${result.difference} credits`,
  ]
  for (const { cause, lines: count, difference } of causes) {
    text.push(`  ${cause}: ${difference} credits in ${count} lines (${DIFFERENCE_CAUSES[cause]})`)
  }
  if (posted !== null) text.push(`posted:     ${posted.amount} credits (${posted.reason})`)
  if (lines.length === 0) return text.join("\n")
  return `${text.join("\n")}\n\n${formatTable(COLUMNS, lines, style)}`
}
