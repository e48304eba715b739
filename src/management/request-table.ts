import type { RequestPage, RequestSummary, RequestTableQuery } from "#contract/receipts.ts"
import type { Actor } from "./actor.ts"
import { csvRow, defused } from "./csv.ts"
import { type Download, gathered } from "./download.ts"
import type { Requests } from "./requests.ts"

/** Maximum rows. People never read more, and few spreadsheets can open larger files well. */
const MAX_ROWS = 50_000
/** Number of rows per read. */
const PAGE_SIZE = 500

/** Exports a list of requests as a file for spreadsheets. @throws GatewayError `not_found`. */
export async function openRequestTable(
  requests: Pick<Requests, "list">,
  actor: Actor,
  query: RequestTableQuery,
): Promise<Download> {
  const pageAt = (cursor?: string) => requests.list(actor, { ...query, limit: PAGE_SIZE, cursor })
  // The first page is read early, so that errors of the query are reported before the file begins.
  const first = await pageAt()
  return {
    name: "requests.csv",
    contentType: "text/csv; charset=utf-8",
    chunks: gathered(linesOf(actor, first, pageAt)),
  }
}

async function* linesOf(
  actor: Actor,
  first: RequestPage,
  pageAt: (cursor: string) => Promise<RequestPage>,
): AsyncGenerator<string> {
  const columns = COLUMNS.filter(
    ([name]) =>
      (name !== "written_off" || actor.isOperator) &&
      (name !== "provider" || actor.hidesCosts !== true),
  )
  yield csvRow(columns.map(([name]) => name))
  let left = MAX_ROWS
  for (let page = first; ; page = await pageAt(page.next_cursor)) {
    for (const request of page.data.slice(0, left)) {
      yield csvRow(columns.map(([, cell]) => cell(request)))
    }
    left -= page.data.length
    if (left < 0 || (left === 0 && page.next_cursor !== null)) {
      yield csvRow([`Only the first ${MAX_ROWS} requests are in this file: choose a shorter time.`])
      return
    }
    if (page.next_cursor === null) {
      if (page.looked_back_to !== null)
        yield csvRow([`Only requests since ${page.looked_back_to}.`])
      return
    }
  }
}

/** The columns and their values. Text from people and callers is escaped so that it cannot be a formula. */
const COLUMNS: readonly (readonly [string, (request: RequestSummary) => string])[] = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => at],
  ["account", ({ account }) => account],
  ["key", ({ key }) => key],
  ["key_name", ({ key_name: name }) => defused(name ?? "")],
  ["endpoint", ({ endpoint }) => defused(endpoint)],
  ["model", ({ model }) => defused(model)],
  ["provider", ({ provider }) => defused(provider ?? "")],
  ["status", ({ status }) => status],
  ["outcome", ({ outcome }) => outcome],
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
]

function tagsText(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ")
}
