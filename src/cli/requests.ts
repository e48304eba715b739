import { DAY_MS } from "#contract/durations.ts"
import { Option } from "commander"
import { globMatcher } from "#contract/model-glob.ts"
import type { Labels } from "../accounting/labels.ts"
import { formatCredits } from "../ledger/money.ts"
import { KINDS_OF_VENDORS } from "../management/failure-kinds.ts"
import { receiptsOfTime } from "../management/receipts-of-time.ts"
import type { Database } from "../store/database.ts"
import type { FailedRequest } from "../store/failure-log.ts"
import { summarize } from "../store/request-summary.ts"
import type { ReceiptRecord } from "../store/settlements.ts"
import type { StoreReader } from "../store/store.ts"
import { type RegisterCommand, outputOf } from "./command.ts"
import { requireAccount, withInstallation } from "./installation.ts"
import { type Column, formatTable, type Style } from "./output.ts"
import { momentArgument, positiveIntegerArgument } from "./parse.ts"

/** Maximum length of an error message in the table. */
const MAX_MESSAGE_LENGTH = 80

const COLUMNS: readonly Column<ListedRequest>[] = [
  { title: "TIME", cell: ({ at }) => at },
  { title: "STATUS", cell: ({ status, code }) => (status === "ok" ? code : `${status}: ${code}`) },
  { title: "ACCOUNT", cell: ({ account_name }) => account_name ?? "-" },
  { title: "KEY", cell: ({ key_name }) => key_name ?? "-" },
  { title: "MODEL", cell: ({ model }) => model ?? "-" },
  { title: "COST", align: "right", cell: ({ cost }) => cost },
  { title: "ID", cell: ({ id }) => id },
  { title: "ERROR", cell: ({ message }) => shortened(message ?? "") },
]

interface RequestsOptions {
  readonly account?: string
  readonly key?: string
  readonly model?: string
  readonly status?: ListedRequest["status"]
  readonly search?: string
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/** `tollgate requests [--account NAME] [--status STATUS] [--search TEXT] ...` */
export const registerRequests: RegisterCommand = (program, terminal) => {
  program
    .command("requests")
    .description("list requests, including failed and rejected ones, newest first")
    .option("--account <NAME>", "name or id of the only account to include")
    .option("--key <NAME>", "name or id of the key")
    .option("--model <GLOB>", "models, such as openai/*")
    .addOption(new Option("--status <STATUS>", "result of the request").choices(REQUEST_STATES))
    .option(
      "--search <TEXT>",
      "a part of the error, id, code, model, provider, key, account or label",
    )
    .option("--from <MOMENT>", "start: a day or a time (default: 24 hours ago)", momentArgument)
    .option("--to <MOMENT>", "end, exclusive (default: now)", momentArgument)
    .addOption(
      new Option("--limit <N>", "maximum number of requests")
        .argParser(positiveIntegerArgument)
        .default(50),
    )
    .action(async ({ account: name, limit, ...options }: RequestsOptions, command) => {
      const now = Date.now()
      const { from = (options.to ?? now) - DAY_MS, to = now + 1 } = options
      const requests = await withInstallation(command, async ({ store, database }) => {
        const account = name === undefined ? undefined : (await requireAccount(store, name)).id
        return listRequests({ store, database }, { ...options, account, from, to }, limit)
      })
      outputOf(command, terminal).result({ requests }, (style) => tableOf(requests, style))
    })
}

function tableOf(requests: readonly ListedRequest[], style: Style): string {
  if (requests.length === 0) return "No matching requests. --from sets an earlier start."
  return `${formatTable(COLUMNS, requests, style)}\n\nExplain one with: tollgate receipt ID`
}

function shortened(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…`
}

/** Maximum failures that are read, the newest first. The log holds the failures of seven days. */
const MAX_FAILURES = 10_000
/** Length of the first time range that is read. Each further range is twice as long. */
const FIRST_RANGE_MS = 60_000

const REQUEST_STATES = ["ok", "failed", "rejected"] as const

/** A request that succeeded, failed at a provider, or was rejected before a provider was called. */
export interface ListedRequest {
  readonly id: string
  readonly at: string
  readonly status: (typeof REQUEST_STATES)[number]
  /** `ok`, or a code of the error table. */
  readonly code: string
  readonly account: string | null
  readonly account_name: string | null
  readonly key: string | null
  readonly key_name: string | null
  readonly model: string | null
  readonly provider: string | null
  readonly cost: string
  readonly duration_ms: number | null
  readonly labels: Labels
  /** The error message that the caller received; null if there was no error, or if it is older than seven days. */
  readonly message: string | null
}

/** Selects requests, which must match all members. */
interface HistoryFilter {
  readonly account?: string | undefined
  /** Id or name of the key. */
  readonly key?: string | undefined
  /** An exact model or a glob. */
  readonly model?: string | undefined
  readonly status?: ListedRequest["status"] | undefined
  /** A part of any text of the request: its error, id, code, model, provider, key, account or labels. */
  readonly search?: string | undefined
  /** Start in Unix milliseconds. */
  readonly from: number
  /** End in Unix milliseconds, exclusive. */
  readonly to: number
}

/** Lists requests, the newest first. Receipts are read backwards in time until there are enough. */
async function listRequests(
  { store, database }: { readonly store: StoreReader; readonly database: Database },
  filter: HistoryFilter,
  limit: number,
): Promise<ListedRequest[]> {
  const { account, from, to } = filter
  const names = await namesOf(store)
  const failures = await database.failedRequests(
    { accounts: account === undefined ? undefined : [account], from, to },
    MAX_FAILURES,
  )
  const matches = matcherOf(filter)
  const messages = new Map(failures.map((failure) => [failure.request, failure.message]))
  const rejected = failures
    .filter(({ kind }) => !KINDS_OF_VENDORS.some((known) => known === kind))
    .map((failure) => names.named(rejectedRequest(failure)))
  const found = new Map(rejected.filter(matches).map((request) => [request.id, request]))
  let length = FIRST_RANGE_MS
  for (let end = to; end > from && countSince(found, end) < limit; length *= 2) {
    const start = Math.max(from, end - length)
    for await (const receipt of receiptsOfTime(store, { account, from: start, until: end })) {
      const request = admittedRequest(receipt, messages.get(receipt.request) ?? null)
      found.delete(receipt.request)
      if (request === undefined) continue
      const named = names.named(request)
      if (matches(named)) found.set(named.id, named)
    }
    end = start
  }
  return [...found.values()].toSorted(newestFirst).slice(0, limit)
}

function countSince(found: ReadonlyMap<string, ListedRequest>, start: number): number {
  return [...found.values()].filter(({ at }) => Date.parse(at) >= start).length
}

function newestFirst(left: ListedRequest, right: ListedRequest): number {
  return Date.parse(right.at) - Date.parse(left.at) || (left.id < right.id ? 1 : -1)
}

type Unnamed = Omit<ListedRequest, "account_name" | "key_name">

function admittedRequest(receipt: ReceiptRecord, message: string | null): Unnamed | undefined {
  const summary = summarize({
    row: 0n,
    account: receipt.account,
    at: BigInt(receipt.at),
    request: receipt.request,
    key: receipt.key,
    amount: receipt.entry?.amount ?? null,
    written_off: receipt.writtenOff.reduce((sum, { amount }) => sum + amount, 0n),
    replaces: null,
    receipt: receipt.body,
  })
  if (summary === undefined) return undefined
  const { request: id, failed, outcome, cost, duration, ...facts } = summary
  return {
    id,
    at: new Date(receipt.at).toISOString(),
    status: failed ? "failed" : "ok",
    code: outcome,
    account: facts.account,
    key: facts.key,
    model: facts.model,
    provider: facts.provider,
    cost: formatCredits(cost),
    duration_ms: duration,
    labels: facts.labels,
    message,
  }
}

function rejectedRequest({
  request,
  at,
  kind,
  account,
  key,
  model,
  message,
}: FailedRequest): Unnamed {
  return {
    id: request,
    at: new Date(at).toISOString(),
    status: "rejected",
    code: kind,
    account,
    key,
    model,
    provider: null,
    cost: "0",
    duration_ms: null,
    labels: {},
    message,
  }
}

async function namesOf(store: StoreReader) {
  const accounts = new Map((await store.accounts.list()).map(({ id, name }) => [id, name]))
  const everyKey = { accounts: undefined, status: undefined, now: Date.now() }
  const list = await store.keys.list(everyKey, null, Number.MAX_SAFE_INTEGER)
  const keys = new Map(list.map(({ id, name }) => [id, name]))
  return {
    named: (request: Unnamed): ListedRequest => ({
      ...request,
      account_name: accounts.get(request.account ?? "") ?? null,
      key_name: keys.get(request.key ?? "") ?? null,
    }),
  }
}

function matcherOf({ account, key, model, status, search }: HistoryFilter) {
  const fitsModel = model === undefined ? undefined : globMatcher(model)
  const part = search?.toLowerCase()
  return (request: ListedRequest): boolean =>
    (account === undefined || request.account === account) &&
    (key === undefined || request.key === key || request.key_name === key) &&
    (fitsModel === undefined || (request.model !== null && fitsModel(request.model))) &&
    (status === undefined || request.status === status) &&
    (part === undefined || textsOf(request).some((text) => text?.toLowerCase().includes(part)))
}

function textsOf({ labels, ...request }: ListedRequest): readonly (string | null | undefined)[] {
  const { user, session, tags = {} } = labels
  const { id, code, message, model, provider, key, key_name, account, account_name } = request
  const words = [id, code, message, model, provider, key, key_name, account, account_name]
  return [
    ...words,
    user,
    session,
    ...Object.entries(tags).map(([name, value]) => `${name}=${value}`),
  ]
}
