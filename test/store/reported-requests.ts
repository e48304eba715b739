import type { Labels } from "../../src/accounting/labels.ts"
import type { WriteOff } from "../../src/accounting/chained-records.ts"
import type { RequestSources } from "../../src/management/requests.ts"
import { sqliteLogs } from "../../src/store/sqlite/log-files.ts"
import { ReportsOnDemand } from "../../src/store/sqlite/reports-on-demand.ts"
import type { FailureLog } from "../../src/store/failure-log.ts"
import type { RequestFilter } from "../../src/store/requests.ts"
import type { Reports } from "../../src/store/reports.ts"
import type { Store } from "../../src/store/store.ts"
import type { Engine, Served } from "./engines.ts"
import { TestDatabase } from "./test-database.ts"

/** A request in the ledger. Absent fields have the values of an ordinary request. */
export interface ReportedRequest {
  readonly request: string
  readonly account?: string
  readonly key?: string
  readonly at?: number
  /** The cost in nanocredits; 0: the request was not charged. */
  readonly cost?: bigint
  readonly writtenOff?: readonly WriteOff[]
  readonly model?: string
  /** The outcomes of the attempts, in order. */
  readonly outcomes?: readonly string[]
  readonly status?: "settled" | "released" | "expired"
  readonly duration?: number
  readonly firstByte?: number | null
  readonly usage?: Readonly<Record<string, number>> | null
  readonly stream?: boolean
  readonly endpoint?: string
  readonly labels?: Labels
  /** The rate in credits per million, for ten tokens; absent: the receipt has no rate. */
  readonly rate?: string
  readonly multiplier?: string
  readonly priceGroup?: string
}

/** A balance that is enough for all requests of a test. */
const BALANCE = 1_000_000_000_000n

/** A ledger with requests and its reports in SQLite. A test may change its parts. */
export class ReportedDatabase implements AsyncDisposable {
  readonly database = TestDatabase.direct()
  readonly reports = new ReportsOnDemand(this.database.directory.database)
  readonly #logs = sqliteLogs(this.database.directory.database, this.reports)
  readonly payloads = this.#logs.payloads
  readonly failures = this.#logs.failures

  /** The parts from which requests are read. */
  get sources(): RequestSources {
    const { database, reports, payloads, failures } = this
    return { store: database.store, reports, payloads, failures }
  }

  static async open(): Promise<ReportedDatabase> {
    const own = new ReportedDatabase()
    await addAccounts(own.database)
    return own
  }

  /** Adds requests to the ledger in this order. */
  async add(...requests: readonly ReportedRequest[]): Promise<void> {
    await post(this.database.store, requests)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reports[Symbol.asyncDispose]()
    await this.database[Symbol.asyncDispose]()
  }
}

/** A ledger with requests and its reports, for any engine. */
export class ReportedEngine implements AsyncDisposable {
  readonly database: TestDatabase
  readonly reports: Reports
  readonly failures: FailureLog
  readonly #served: Served

  private constructor(database: TestDatabase, served: Served) {
    this.database = database
    this.reports = served.reports
    this.failures = served.failures
    this.#served = served
  }

  static async on(engine: Engine): Promise<ReportedEngine> {
    const database = await TestDatabase.on(engine)
    const own = new ReportedEngine(database, await engine.serve(database.directory.path))
    await addAccounts(database)
    return own
  }

  /** Adds requests to the ledger in this order. */
  async add(...requests: readonly ReportedRequest[]): Promise<void> {
    await post(this.database.store, requests)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served[Symbol.asyncDispose]()
    await this.database[Symbol.asyncDispose]()
  }
}

/** Adds the accounts `a` and `b` with the keys `key_a` and `key_b`. */
async function addAccounts(database: TestDatabase): Promise<void> {
  for (const account of ["a", "b"]) {
    await database.account(account, BALANCE)
    await database.key(`key_${account}`, account, null)
  }
}

async function post(store: Store, requests: readonly ReportedRequest[]): Promise<void> {
  const postings = requests.map((request) => {
    const { account = "a", at = Date.now(), cost = 10n, writtenOff = [] } = request
    const key = request.key ?? `key_${account}`
    const receipt = receiptOf(request)
    const charge = { amount: cost, writtenOff, at, receipt }
    return { request: request.request, account, key, budgets: [], ...charge }
  })
  await store.settlements.post("node", { postings, opened: [], closed: [] })
}

/** Returns the text of a receipt, with the members that `relay/billing/receipt.ts` writes. */
export function receiptOf(request: ReportedRequest): string {
  const { model = "sim/echo", outcomes = ["ok"], status = "settled" } = request
  const { usage = { input: 10, output: 5 }, duration = 100, firstByte = 20 } = request
  return JSON.stringify({
    id: request.request,
    object: "receipt",
    status,
    endpoint: request.endpoint ?? "/v1/chat/completions",
    ...request.labels,
    ...(request.rate !== undefined && {
      cost: "0.5",
      price: {
        per_million: {},
        multiplier: request.multiplier ?? "1",
        ...(request.priceGroup !== undefined && {
          group: { id: request.priceGroup, from: "1970-01-01T00:00:00.000Z" },
        }),
      },
      arithmetic: [{ class: "input", quantity: 10, per_million: request.rate }],
    }),
    model,
    stream: request.stream ?? false,
    deployment: status === "settled" ? model : null,
    estimated: false,
    usage,
    duration_ms: duration,
    first_byte_ms: firstByte,
    attempts: outcomes.map((outcome) => ({ deployment: model, status: 200, outcome, duration })),
    losses: [],
  })
}

/** Returns the ids of the requests that match a filter. */
export async function found(
  own: ReportedEngine,
  filter: RequestFilter,
  limit = 50,
): Promise<string[]> {
  const reports = await own.reports.upToDate()
  return (await reports.list(filter, null, limit)).map(({ request }) => request)
}

/** Returns the key of a request. Most keys have many requests, and the key `second` has few. */
export function keyOf(index: number): string {
  if (index % 10 === 3) return "key_b"
  return index % 7 === 0 ? "second" : "key_a"
}
