import type {
  FailedAttemptDocument,
  FailedRequestDocument,
  FailedRequestPage,
  FailureQuery,
  RequestRecordDocument,
} from "#contract/failures.ts"
import type { Receipt } from "#contract/receipts.ts"
import { GatewayError } from "../canon/errors.ts"
import { withoutProviderNames } from "../canon/provider-names.ts"
import type { FailedAttempt, FailedRequest, FailureLog } from "../store/failure-log.ts"
import type { Reports } from "../store/reports.ts"
import type { TimePosition } from "../store/time-position.ts"
import { type Actor, maySee, scopeOf } from "./actor.ts"
import { cursorOf, pageFrom, timePositionOf } from "./cursor.ts"
import { KINDS_OF_VENDORS, REJECTED } from "./failure-kinds.ts"
import { momentOrNull } from "./moment-text.ts"
import type { Requests } from "./requests.ts"
import { searchInFailures } from "./request-search.ts"

export interface FailureSources {
  readonly log: FailureLog
  readonly reports: Reports
  readonly requests: Requests
}

/** Sorts before all ids of requests. */
export const BEFORE_IDS = ""

/** Failed requests, newest first. */
interface FoundFailedRequests {
  readonly found: readonly FailedRequest[]
  /** The oldest time that was searched; null if all were searched. */
  readonly reach: number | null
}

/** Reports the outcome of requests, including those that were rejected before credits were held. */
export class Failures {
  readonly #log: FailureLog
  readonly #reports: Reports
  readonly #requests: Requests

  constructor({ log, reports, requests }: FailureSources) {
    this.#log = log
    this.#reports = reports
    this.#requests = requests
  }

  /** Lists failures of one account or of all visible ones, newest first. @throws GatewayError `not_found`. */
  async list(actor: Actor, query: FailureQuery): Promise<FailedRequestPage> {
    const place = timePositionOf(query.cursor)
    const { found, reach } = await this.read(actor, query, place, query.limit + 1)
    const page = pageFrom(found, query.limit, ({ at, request }) => [at, request])
    const isFull = page.next_cursor !== null
    return {
      ...page,
      next_cursor: page.next_cursor ?? (reach === null ? null : cursorOf([reach, BEFORE_IDS])),
      data: page.data.map((failed) => failedRequestDocument(failed, actor)),
      searched_from: isFull ? null : momentOrNull(reach),
    }
  }

  /**
   * Reads the failures that follow a position, and reports the oldest time that was searched.
   * @throws GatewayError `not_found`.
   */
  async read(
    actor: Actor,
    query: Omit<FailureQuery, "limit" | "cursor">,
    after: TimePosition | null,
    limit: number,
  ): Promise<FoundFailedRequests> {
    const { key, endpoint, code, model, search, from, to } = query
    const sources = { reports: await this.#reports.upToDate(), failures: this.#log }
    const wanted = {
      accounts: scopeOf(actor, query.account),
      key,
      endpoint,
      kind: code,
      ...(query.rejected === "true" && { without: KINDS_OF_VENDORS }),
      model,
      search,
      from: from === undefined ? undefined : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to),
    }
    const { filter, reach } = await searchInFailures(sources, actor, wanted, after)
    return { found: await this.#log.list(filter, after, limit), reach }
  }

  /**
   * Returns the full record of a request.
   * @throws GatewayError `not_found`, also for requests of other accounts.
   */
  async request(actor: Actor, id: string): Promise<RequestRecordDocument> {
    const [receipt, failed, attempts] = await Promise.all([
      this.#receipt(actor, id),
      this.#log.find(id),
      this.#log.attempts(id),
    ])
    const isSeen =
      failed && (failed.account === null ? actor.isOperator : maySee(actor, failed.account))
    if (receipt === null && !isSeen) {
      throw new GatewayError(
        "not_found",
        "No such request. Its id is the 'x-request-id' of its response; rejected requests are stored for seven days.",
      )
    }
    return {
      id,
      receipt,
      failure: isSeen ? failedRequestDocument(failed, actor) : null,
      attempts:
        actor.hidesCosts === true
          ? []
          : attempts.map((attempt) => failedAttemptDocument(attempt, actor)),
    }
  }

  async #receipt(actor: Actor, id: string): Promise<Receipt | null> {
    try {
      return await this.#requests.receipt(actor, id)
    } catch (error) {
      if (error instanceof GatewayError && error.kind === "not_found") return null
      throw error
    }
  }
}

/** Converts a failed request to its representation in the API. */
export function failedRequestDocument(
  { request, at, kind, message, ...facts }: FailedRequest,
  { hidesCosts }: Actor,
): FailedRequestDocument {
  const shown = hidesCosts === true ? withoutProviderNames(message) : message
  return { id: request, at: new Date(at).toISOString(), code: kind, ...facts, message: shown }
}

/**
 * Converts a failed attempt to its representation in the API. If the vendor rejected the request itself, its message is
 * included, because the caller has also received it. All other messages concern the operator's account at the vendor,
 * so only operators see them.
 */
function failedAttemptDocument(attempt: FailedAttempt, actor: Actor): FailedAttemptDocument {
  const { at, deployment, status, kind } = attempt
  const isShown = actor.isOperator || kind === REJECTED
  return {
    at: new Date(at).toISOString(),
    deployment,
    status,
    outcome: kind,
    code: isShown ? attempt.code : null,
    message: isShown ? attempt.message : null,
  }
}
