import { DIFFERENCE_CAUSES, type Reconciliation } from "#contract/reconciliations.ts"
import { type Command, InvalidArgumentError } from "commander"
import { runtimeConfigOf } from "../app/state.ts"
import { loadSettings } from "../config/load.ts"
import type { ProviderSettings } from "../config/settings.ts"
import { COMMAND_LINE } from "../management/actor.ts"
import { BillError, type Bill, type Days } from "../management/reconciliation/bill.ts"
import { readBillFile, readColumns } from "../management/reconciliation/bill-file.ts"
import { COST_APIS } from "../management/reconciliation/cost-apis.ts"
import { checkDays, Reconciliations } from "../management/reconciliation/reconciliations.ts"
import { vendors } from "../vendors/index.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { withInstallation } from "./installation.ts"
import { loadOptions } from "./load-options.ts"
import { formatTable, type Style } from "./output.ts"
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
    .description("compare a provider's bill with the ledger, and post what differs")
    .requiredOption("--provider <PROVIDER>", "the provider in the settings, such as openai")
    .requiredOption("--from <DAY>", "the first day in UTC, such as 2026-11-01", dayArgument)
    .requiredOption("--to <DAY>", "the end, which is not included", dayArgument)
    .option("--file <FILE>", "an exported bill as CSV; without it, the provider's cost API is read")
    .option(
      "--columns <FIELD=COLUMN,...>",
      "the columns of another CSV: date, model, cost, and key, class, quantity, unit, currency, end",
    )
    .option("--models <TEXT=MODEL,...>", "which model a name in the bill means", pairsArgument)
    .option(
      "--keys <ID=NAME,...>",
      "compares by key: which key an id in the bill is",
      pairsArgument,
    )
    .option("--key-variable <NAME>", "the environment variable with the admin key")
    .option("--post", "post the difference as a correction of the provider cost")
    .option("--reason <TEXT>", "why it is posted, for the audit log")
    .action(async (options: ReconcileOptions, command: Command) => {
      const result = await reconcile(options, command).catch((error: unknown) => {
        if (!(error instanceof BillError)) throw error
        throw new CommandError("failed", error.message, error.hint)
      })
      outputOf(command, terminal).result(result, (style) => words(result, style))
    })
}

async function reconcile(options: ReconcileOptions, command: Command): Promise<Reconciliation> {
  const { provider: id, file, columns, models: aliases, keys, reason } = options
  if ((options.post === true) !== (reason !== undefined && reason.trim() !== "")) {
    throw new CommandError("usage", "--post and --reason belong together", "Give both, or neither.")
  }
  const days = { from: Date.parse(options.from), until: Date.parse(options.to) }
  checkDays(days, Date.now())
  const load = loadOptions(command)
  const { settings, lists } = await wholeSettings(load, loadSettings(load))
  const provider = Object.hasOwn(settings.providers, id) ? settings.providers[id] : undefined
  if (provider === undefined) {
    const names = Object.keys(settings.providers).join(", ")
    throw new CommandError("not_found", `there is no provider '${id}'`, `There are: ${names}`)
  }
  const mapped = columns === undefined ? undefined : readColumns(columns)
  const bill =
    file === undefined
      ? await readCosts(provider, days, options.keyVariable)
      : await readBillFile(file, days, mapped)
  if (bill.rows.length === 0) {
    const skipped = bill.skipped === 0 ? "" : `, ${bill.skipped} rows are of other days or services`
    throw new BillError(`the bill has nothing of these days${skipped}`, "Check the days.")
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
      ...(aliases && { aliases }),
      ...(keys && { keys }),
      ...(options.post === true && reason !== undefined && { reason: reason.trim() }),
    }),
  )
}

/** @throws CommandError, BillError */
async function readCosts(
  provider: ProviderSettings,
  days: Days,
  variable: string | undefined,
): Promise<Bill> {
  const api = COST_APIS.get(provider.vendor)
  const baseUrl = vendors.get(provider.vendor)?.baseUrlOf(provider)
  if (api === undefined || baseUrl === undefined) {
    const known = [...COST_APIS.keys()].join(", ")
    throw new CommandError(
      "usage",
      `the vendor '${provider.vendor}' has no cost API that is known`,
      `Export its bill and use --file. Cost APIs are known of: ${known}`,
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

/** `id=name,...`; the name may be empty, for the only one. */
function pairsArgument(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(",").map((pair) => {
    const at = pair.lastIndexOf("=")
    if (at < 1) {
      throw new InvalidArgumentError(`'${pair}' must be a name in the bill, '=' and a name here.`)
    }
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const
  })
  return new Map(pairs)
}

const COLUMNS = [
  { title: "DAY" },
  { title: "MODEL" },
  { title: "CLASS" },
  { title: "BILLED", align: "right" },
  { title: "LEDGER", align: "right" },
  { title: "DIFFERENCE", align: "right" },
  { title: "CAUSE" },
] as const

function words(result: Reconciliation, style: Style): string {
  const { provider, from, to, source, causes, lines, posted } = result
  const skipped = result.skipped_rows === 0 ? "" : `, ${result.skipped_rows} rows left out`
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
  const rows = lines.map((line) => [
    line.day,
    `${line.model}${line.key === null || line.key === "" ? "" : `#${line.key}`}`,
    line.class ?? "",
    line.billed,
    line.ledger,
    line.difference,
    line.cause,
  ])
  return `${text.join("\n")}\n\n${formatTable(COLUMNS, rows, style)}`
}
