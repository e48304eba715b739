import { DAY_MS } from "#contract/durations.ts"
import { type Command, Option } from "commander"
import { loadSettings } from "../../config/load.ts"
import { formatCredits } from "../../ledger/money.ts"
import { COMMAND_LINE } from "../../management/actor.ts"
import { databaseOf } from "../../store/installation-database.ts"
import { globalOptions, outputOf, type RegisterCommand } from "../command.ts"
import { CommandError } from "../exit-codes.ts"
import { withInstallation } from "../installation.ts"
import { loadOptions } from "../load-options.ts"
import { formatFields, type Style } from "../output.ts"
import { creditsArgument, durationArgument, positiveIntegerArgument } from "../parse.ts"
import type { Terminal } from "../terminal.ts"
import { showWholeReceipt } from "../../relay/billing/receipt.ts"
import type { StoreReader } from "../../store/store.ts"
import { DrillCallers, type CallerResult } from "./callers.ts"
import { DrillNode, type NodePlan } from "./nodes.ts"

const MAX_RESTART_INTERVAL_MS = 3_000
const MIN_RESTARTS = 8
const NODES = 2

interface DrillOptions {
  readonly model: string
  readonly credits: bigint
  readonly time: number
  readonly callers: number
  readonly yes?: boolean
}

/** `tollgate drill --model MODEL` */
export const registerDrill: RegisterCommand = (program, terminal) => {
  program
    .command("drill")
    .description("crash-test a copy of this installation under load, and check every charge")
    .requiredOption("--model <MODEL>", "chat model to call; the calls are charged at its price")
    .addOption(
      new Option("--credits <N>", "credits that the drill may spend")
        .argParser(creditsArgument)
        .default(1_000_000_000n, "1"),
    )
    .addOption(
      new Option("--time <TIME>", "duration").argParser(durationArgument).default(30_000, "30s"),
    )
    .option("--callers <N>", "number of concurrent callers", positiveIntegerArgument, 8)
    .option("--yes", "do not ask for confirmation")
    .action(async (options: DrillOptions, command: Command) => {
      const { settings } = loadSettings(loadOptions(command))
      await askFirst(databaseOf(settings).place, options, terminal)
      const { account, key } = await prepare(command, options)
      const plan = {
        file: globalOptions(command).file,
        data: settings.database ? undefined : settings.data,
      }
      const results = await play(plan, { ...options, key })
      await using reader = await databaseOf(settings).openReader()
      const verdict = await judgeDrill(reader, account, results)
      const { lost, overspent, charged } = verdict
      const document = { ...verdict, overspent: formatCredits(overspent) }
      outputOf(command, terminal).result(
        { ...document, charged: formatCredits(charged) },
        (style) => describe(verdict, style),
      )
      if (lost.length === 0 && overspent === 0n) return
      throw new CommandError(
        "failed",
        "money was lost or overspent",
        "Report it, with this output.",
      )
    })
}

/**
 * Asks for confirmation.
 * @throws CommandError if the response is no, or if no terminal is available for the question.
 */
async function askFirst(place: string, options: DrillOptions, terminal: Terminal): Promise<void> {
  if (options.yes === true) return
  const question =
    `This starts ${NODES} nodes on ${place}, kills them repeatedly, and spends up to ` +
    `${formatCredits(options.credits)} credits at ${options.model}. Use a copy of your installation.`
  if (terminal.confirm === undefined) {
    throw new CommandError("usage", question, "Add --yes if it is a copy.")
  }
  if (await terminal.confirm(`${question} Is it a copy?`)) return
  throw new CommandError("failed", "nothing was done")
}

async function prepare(command: Command, { credits, model }: DrillOptions) {
  return withInstallation(command, async ({ accounts, keys }) => {
    const name = `drill-${new Date().toISOString()}`
    const account = await accounts.create(COMMAND_LINE, { name, credits: formatCredits(credits) })
    const order = { account: account.id, name, models: [model] }
    const { secret } = await keys.create(COMMAND_LINE, order)
    return { account: account.id, key: secret }
  })
}

/**
 * Ends nodes one after another, alternating between SIGTERM and SIGKILL, while callers send
 * requests.
 */
async function play(plan: NodePlan, options: DrillOptions & { readonly key: string }) {
  await using stack = new AsyncDisposableStack()
  const nodes: DrillNode[] = []
  for (let count = 0; count < NODES; count++) nodes.push(stack.use(await DrillNode.start(plan)))
  const callers = new DrillCallers({
    ...options,
    addresses: () => nodes.flatMap(({ url }) => url ?? []),
  })
  callers.start()
  const pause = Math.min(MAX_RESTART_INTERVAL_MS, options.time / MIN_RESTARTS)
  const end = performance.now() + options.time
  for (let turn = 0; performance.now() < end; turn++) {
    await Bun.sleep(Math.min(pause, end - performance.now()))
    if (performance.now() >= end) break
    await nodes[turn % NODES]?.restart(turn % 4 < NODES ? "SIGTERM" : "SIGKILL")
  }
  await callers.stop()
  return callers.results
}

function describe(verdict: DrillVerdict, style: Style): string {
  const { served, rejected, reasons, cut, unreachable, charged, overspent, lost } = verdict
  const why = Object.entries(reasons).map(([code, count]) => `${count} ${code}`)
  return formatFields(
    [
      ["requests", String(verdict.requests)],
      ["served", String(served)],
      ["rejected", why.length === 0 ? "0" : `${rejected}: ${why.join(", ")}`],
      ["cut off", `${cut} when their node was killed, ${unreachable} because no node was running`],
      ["charged", `${formatCredits(charged)} credits`],
      ["overspent", `${formatCredits(overspent)} credits`],
      [
        "lost",
        `${lost.length} whole responses without a charge ${lost.slice(0, 3).join(" ")}`.trim(),
      ],
    ],
    style,
  )
}

/** The result of comparing the ledger with the callers' results. Amounts are in nanocredits. */
interface DrillVerdict {
  readonly requests: number
  /** Number of complete responses. */
  readonly served: number
  readonly rejected: number
  /** Number of rejected requests by error code. */
  readonly reasons: Readonly<Record<string, number>>
  /** Number of responses that were cut off, and of requests without a response. */
  readonly cut: number
  readonly unreachable: number
  readonly charged: bigint
  /** The amount charged beyond the credits of the account. */
  readonly overspent: bigint
  /** Request ids of complete responses that were not charged, except those whose cost is zero. */
  readonly lost: readonly string[]
}

const PAGE = 1_000

/** Compares the callers' results with the ledger. No request may be running. */
export async function judgeDrill(
  store: StoreReader,
  account: string,
  results: readonly CallerResult[],
): Promise<DrillVerdict> {
  const { given, charged, requests } = await chargesOf(store, account)
  const of = (outcome: CallerResult["outcome"]): readonly CallerResult[] =>
    results.filter((one) => one.outcome === outcome)
  const whole = of("whole").map(({ requestId }) => requestId ?? "unnamed")
  const uncharged = whole.filter((request) => !requests.has(request))
  const free = await freeOf(store, uncharged)
  return {
    requests: results.length,
    served: whole.length,
    rejected: of("rejected").length,
    reasons: countedBy(of("rejected").map(({ code }) => code ?? "unknown")),
    cut: of("cut").length,
    unreachable: of("unreachable").length,
    charged,
    overspent: charged > given ? charged - given : 0n,
    lost: uncharged.filter((request) => !free.has(request)),
  }
}

async function chargesOf(store: StoreReader, account: string) {
  const requests = new Set<string>()
  let given = 0n
  let charged = 0n
  for (let after = 0; ;) {
    const entries = await store.entries.list(account, after, PAGE)
    for (const { kind, amount, request } of entries) {
      if (kind === "charge") charged -= amount
      else given += amount
      if (request !== null) requests.add(request)
    }
    const last = entries.at(-1)
    if (!last) return { given, charged, requests }
    after = last.number
  }
}

/** Returns those requests whose receipt has a cost of zero, as with a model that costs nothing. */
async function freeOf(store: StoreReader, requests: readonly string[]): Promise<Set<string>> {
  const free = new Set<string>()
  // Clocks of nodes may be fast.
  const range = { from: 0, until: Date.now() + DAY_MS }
  for (let start = 0; start < requests.length; start += PAGE) {
    const page = requests.slice(start, start + PAGE)
    for (const record of await store.settlements.findReceipts(page, range)) {
      const { status, cost } = showWholeReceipt(record)
      if (status === "settled" && cost === "0") free.add(record.request)
    }
  }
  return free
}

function countedBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
