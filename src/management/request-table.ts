import type {
  FailedRequestDocument,
  ListedRequest,
  ListedRequestPage,
  RequestListTableQuery,
} from "#contract/failures.ts"
import type { RequestSummary, RequestTableQuery } from "#contract/receipts.ts"
import type { Actor } from "./actor.ts"
import type { AllRequests } from "./all-requests.ts"
import { csvRow, defused } from "#contract/csv.ts"
import { type Download, gathered } from "./download.ts"
import type { Requests } from "./requests.ts"

/** Maximum rows. Most spreadsheets open larger files slowly. */
const MAX_ROWS = 50_000
/** Number of rows per read. */
const PAGE_SIZE = 500

/** Exports a list of admitted requests as a file for spreadsheets. @throws GatewayError `not_found`. */
export function openRequestTable(
  requests: Pick<Requests, "list">,
  actor: Actor,
  query: RequestTableQuery,
): Promise<Download> {
  const columns = COLUMNS.filter(([name]) => isShown(name, actor) && !OF_REJECTIONS.has(name))
  return openTable(columns, async (cursor) => {
    const page = await requests.list(actor, { ...query, limit: PAGE_SIZE, cursor })
    const data = page.data.map((admitted) => ({
      id: admitted.id,
      at: admitted.at,
      admitted,
      rejected: null,
    }))
    return { ...page, data }
  })
}

/** Exports a list of admitted and rejected requests as a file for spreadsheets. @throws GatewayError `not_found`. */
export function openAllRequestsTable(
  requests: Pick<AllRequests, "list">,
  actor: Actor,
  query: RequestListTableQuery,
): Promise<Download> {
  const columns = COLUMNS.filter(([name]) => isShown(name, actor))
  return openTable(columns, (cursor) =>
    requests.list(actor, { ...query, limit: PAGE_SIZE, cursor }),
  )
}

/** Reads a page of the list. */
type PageReader = (cursor?: string) => Promise<ListedRequestPage>

async function openTable(columns: readonly Column[], pageAt: PageReader): Promise<Download> {
  // The first page is read early, so that errors of the query are reported before the file begins.
  const first = await pageAt()
  return {
    name: "requests.csv",
    contentType: "text/csv; charset=utf-8",
    chunks: gathered(linesOf(columns, first, pageAt)),
  }
}

async function* linesOf(
  columns: readonly Column[],
  first: ListedRequestPage,
  pageAt: PageReader,
): AsyncGenerator<string> {
  yield csvRow(columns.map(([name]) => name))
  let left = MAX_ROWS
  for (let page = first; ; page = await pageAt(page.next_cursor)) {
    for (const request of page.data.slice(0, left)) yield csvRow(cellsOf(columns, request))
    left -= page.data.length
    if (left < 0 || (left === 0 && page.next_cursor !== null)) {
      yield csvRow([`Only the first ${MAX_ROWS} requests are in this file: choose a shorter time.`])
      return
    }
    if (page.next_cursor === null) {
      if (page.searched_from !== null) yield csvRow([`Only requests since ${page.searched_from}.`])
      return
    }
  }
}

function cellsOf(columns: readonly Column[], { admitted, rejected }: ListedRequest): string[] {
  return columns.map(([, cell, rejectedCell = nothing]) => {
    if (admitted !== null) return cell(admitted)
    return rejected === null ? "" : rejectedCell(rejected)
  })
}

function nothing(): string {
  return ""
}

function isShown(column: string, { isOperator, hidesCosts }: Actor): boolean {
  return (column !== "written_off" || isOperator) && (column !== "provider" || hidesCosts !== true)
}

/** The name of a column, its value for an admitted request, and its value for a rejected one if there is a value. */
type Column = readonly [
  name: string,
  cell: (request: RequestSummary) => string,
  rejectedCell?: (request: FailedRequestDocument) => string,
]

/** Columns of rejected requests only. */
const OF_REJECTIONS: ReadonlySet<string> = new Set(["error"])

/** The columns and their values. Text from people and callers is escaped so that it cannot be a formula. */
const COLUMNS: readonly Column[] = [
  ["id", ({ id }) => id, ({ id }) => id],
  ["at", ({ at }) => at, ({ at }) => at],
  ["account", ({ account }) => account, ({ account }) => account ?? ""],
  ["key", ({ key }) => key, ({ key }) => key ?? ""],
  ["key_name", ({ key_name: name }) => defused(name ?? "")],
  ["endpoint", ({ endpoint }) => defused(endpoint), ({ endpoint }) => defused(endpoint)],
  ["model", ({ model }) => defused(model), ({ model }) => defused(model ?? "")],
  ["provider", ({ provider }) => defused(provider ?? "")],
  ["status", ({ status }) => status, () => "rejected"],
  ["outcome", ({ outcome }) => outcome, ({ code }) => code],
  ["stream", ({ stream }) => String(stream)],
  ["duration_ms", ({ duration_ms: duration }) => String(duration ?? "")],
  ["first_byte_ms", ({ first_byte_ms: firstByte }) => String(firstByte ?? "")],
  ["input", ({ input }) => String(input)],
  ["output", ({ output }) => String(output)],
  ["estimated", ({ estimated }) => String(estimated)],
  ["cost", ({ cost }) => cost],
  ["written_off", ({ written_off: writtenOff = "" }) => writtenOff],
  ["user", ({ user = "" }) => defused(user)],
  ["session", ({ session = "" }) => defused(session)],
  ["tags", ({ tags = {} }) => defused(tagsText(tags))],
  ["error", nothing, ({ message }) => defused(message)],
]

function tagsText(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ")
}
