import type { ListedRequest, ListedRequestPage, ListedRequestQuery } from "#contract/failures.ts"
import type { FailedRequest } from "../store/failure-log.ts"
import type { RequestPlace, RequestRecord } from "../store/requests.ts"
import type { TimePosition } from "../store/time-position.ts"
import type { Actor } from "./actor.ts"
import { cursorOf, foreignCursor, type Position, positionOf } from "./cursor.ts"
import { BEFORE_IDS, failedRequestDocument, type Failures } from "./failures.ts"
import { filterOf, isSupportedByRejections } from "./request-filter.ts"
import { latest } from "./request-pages.ts"
import { type Requests, summaryDocument } from "./requests.ts"
import { momentOrNull } from "./moment-text.ts"

/** Positions in the two lists from which the requests of a page come. */
interface PagePlaces {
  readonly admitted: RequestPlace | null
  readonly rejected: TimePosition | null
}

type Found =
  | { readonly at: number; readonly admitted: RequestRecord }
  | { readonly at: number; readonly rejected: FailedRequest }

/** Lists admitted and rejected requests together. */
export class AllRequests {
  readonly #requests: Requests
  readonly #failures: Failures

  constructor(requests: Requests, failures: Failures) {
    this.#requests = requests
    this.#failures = failures
  }

  /** @throws GatewayError `not_found`, and `invalid_value` for a cursor of another list. */
  async list(actor: Actor, query: ListedRequestQuery): Promise<ListedRequestPage> {
    const { status, ...rest } = query
    if (status === "rejected") return this.#merged(actor, query, { isAdmitted: false })
    const isMerged =
      status === undefined &&
      query.sort === "newest" &&
      isSupportedByRejections(filterOf(actor, rest))
    if (isMerged) return this.#merged(actor, query, { isAdmitted: true })
    const page = await this.#requests.list(actor, { ...rest, status })
    const data = page.data.map((admitted) => ({ ...idOf(admitted), admitted, rejected: null }))
    return { ...page, data }
  }

  async #merged(
    actor: Actor,
    query: ListedRequestQuery,
    { isAdmitted }: { readonly isAdmitted: boolean },
  ): Promise<ListedRequestPage> {
    const { status: _, limit, cursor, ...rest } = query
    const places = placesOf(cursor)
    const reading = { sort: "newest", place: places.admitted, limit: limit + 1 } as const
    const [admitted, rejected] = await Promise.all([
      isAdmitted
        ? this.#requests.read(actor, filterOf(actor, rest), reading)
        : { found: [], reach: null },
      this.#failures.read(actor, { ...rest, rejected: "true" }, places.rejected, limit + 1),
    ])
    // Before this time, at least one of the two lists was not read.
    const reach = latest(
      admitted.found.length > limit ? null : admitted.reach,
      rejected.found.length > limit ? null : rejected.reach,
    )
    const found = [
      ...admitted.found.map((each): Found => ({ at: each.at, admitted: each })),
      ...rejected.found.map((each): Found => ({ at: each.at, rejected: each })),
    ]
      .filter(({ at }) => reach === null || at >= reach)
      .toSorted((left, right) => right.at - left.at)
    const page = found.slice(0, limit)
    const isFull = found.length > limit
    const next = isFull ? placesAfter(page, places) : reach === null ? null : placesBefore(reach)
    return {
      object: "list",
      data: page.map((each) => documentOf(each, actor)),
      next_cursor: next && cursorOf(positionOfPlaces(next)),
      searched_from: isFull ? null : momentOrNull(reach),
    }
  }
}

function documentOf(found: Found, actor: Actor): ListedRequest {
  if ("admitted" in found) {
    const admitted = summaryDocument(found.admitted, actor)
    return { ...idOf(admitted), admitted, rejected: null }
  }
  const rejected = failedRequestDocument(found.rejected, actor)
  return { ...idOf(rejected), admitted: null, rejected }
}

function idOf({ id, at }: Pick<ListedRequest, "id" | "at">): Pick<ListedRequest, "id" | "at"> {
  return { id, at }
}

function placesAfter(page: readonly Found[], before: PagePlaces): PagePlaces {
  const admitted = page.flatMap((each) => ("admitted" in each ? each.admitted : [])).at(-1)
  const rejected = page.flatMap((each) => ("rejected" in each ? each.rejected : [])).at(-1)
  return {
    admitted: admitted === undefined ? before.admitted : { at: admitted.at, row: admitted.row },
    rejected: rejected === undefined ? before.rejected : { at: rejected.at, id: rejected.request },
  }
}

function placesBefore(reach: number): PagePlaces {
  return { admitted: { at: reach, row: 0 }, rejected: { at: reach, id: BEFORE_IDS } }
}

/** The position in a list before its first entry is returned. */
const NOT_BEGUN = -1

function positionOfPlaces({ admitted, rejected }: PagePlaces): Position {
  return [
    admitted?.at ?? NOT_BEGUN,
    admitted?.row ?? NOT_BEGUN,
    rejected?.at ?? NOT_BEGUN,
    rejected?.id ?? BEFORE_IDS,
  ]
}

function placesOf(cursor: string | undefined): PagePlaces {
  const position = positionOf(cursor)
  if (position === undefined) return { admitted: null, rejected: null }
  const [at, row, rejectedAt, id] = position
  if (!isWhole(at) || !isWhole(row) || !isWhole(rejectedAt) || typeof id !== "string") {
    throw foreignCursor()
  }
  return {
    admitted: at === NOT_BEGUN ? null : { at, row },
    rejected: rejectedAt === NOT_BEGUN ? null : { at: rejectedAt, id },
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
