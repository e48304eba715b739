import type { Events } from "./events.ts"
import { lineWriter, type Logger } from "./logger.ts"
import { throttled } from "./throttle.ts"

/**
 * Creates events that are written as log lines.
 * @param clean removes secrets from external text.
 */
export function createEvents(
  logger: Logger,
  clean: (text: string) => string = (text) => text,
): Events {
  const words = (error: unknown): string => clean(text(error))
  const nodeFailed = throttled((error) =>
    logger.error({ event: "node_failed", error }, "the database cannot be reached"),
  )
  return {
    ...unchargedEvents(logger),
    writtenOff: (request, nanocredits, reason) =>
      logger.error(
        { event: "written_off", request, nanocredits: nanocredits.toString(), reason },
        "part of a cost was written off instead of charged",
      ),
    settledLate: (request, nanocredits) =>
      logger.warn(
        { event: "settled_late", request, nanocredits: nanocredits.toString() },
        "charged a request whose hold had expired because its process was considered dead",
      ),
    holdExpired: (request, account) =>
      logger.warn(
        { event: "hold_expired", request, account },
        "process died while this request was running; nothing was charged",
      ),
    ...ledgerEvents(logger, words),
    usageMissing: (request, deployment) =>
      logger.error(
        { event: "usage_missing", request, deployment },
        "priced response without usage; charging by the gateway's own count, marked as estimated",
      ),
    audioAboveHold: (request, deployment, nanocredits) =>
      logger.warn(
        { event: "audio_above_hold", request, deployment, nanocredits: nanocredits.toString() },
        "provider reported longer audio than measured; charging the excess over the hold to the balance",
      ),
    ...attemptEvents(logger),
    ...requestEvents(logger, words),
    ...lineEvents(logger, clean),
    ...storageEvents(logger, words),
    nodeRejoined: () =>
      logger.warn(
        { event: "node_rejoined" },
        "this process was considered dead or lost the database during a commit; it rejoined",
      ),
    nodeFailed: (error) => nodeFailed(words(error)),
    ...deliveryEvents(logger, words),
    maintenanceFailed: (error) =>
      logger.error(
        { event: "maintenance_failed", error: words(error) },
        "failed to prepare the database for the next days or to remove old rows; retrying within the hour",
      ),
    ledgerPruned: (before, removed) =>
      logger.info(
        { event: "ledger_pruned", before: new Date(before).toISOString(), removed },
        "old entries and receipts removed; their sums are kept",
      ),
    ...workerEvents(logger),
    settingsApplied: (changes) =>
      logger.info({ event: "settings_reloaded", changes }, "settings reloaded"),
    settingsRejected: (message) =>
      logger.error(
        { event: "settings_rejected", message },
        "invalid settings; keeping the old ones",
      ),
    ...priceEvents(logger, words),
    warning: (message) => logger.warn(clean(message)),
  }
}

/** Logs newer lists of known prices. */
function priceEvents(
  logger: Logger,
  words: (error: unknown) => string,
): Pick<Events, "priceChanged" | "pricesNotRefreshed"> {
  return {
    priceChanged: (news) =>
      logger.warn(
        { event: "price_changed", ...news },
        news.state === "applied"
          ? "new prices are active"
          : "new prices are pending: see 'tollgate prices diff'",
      ),
    pricesNotRefreshed: (error) =>
      logger.warn(
        { event: "prices_not_refreshed", error: words(error) },
        "daily check for newer prices failed; retrying",
      ),
  }
}

/** Logs failed deliveries to external services. */
function deliveryEvents(
  logger: Logger,
  words: (error: unknown) => string,
): Pick<Events, "noticesFailed" | "telemetryFailed"> {
  const noticesFailed = throttled((error) =>
    logger.error({ event: "notices_failed", error }, "notices cannot be stored or delivered"),
  )
  const telemetryFailed = throttled((error) =>
    logger.warn(
      { event: "telemetry_failed", error },
      "failed to send traces or metrics to the collector; logged at most once a minute per cause",
    ),
  )
  return {
    noticesFailed: (error) => noticesFailed(words(error)),
    telemetryFailed: (error) => telemetryFailed(words(error)),
  }
}

/** Logs the results of upstream calls. */
function attemptEvents(
  logger: Logger,
): Pick<Events, "attemptFailed" | "attemptEnded" | "ruleLearned"> {
  return {
    attemptFailed: (request, deployment, failure) =>
      logger.warn(
        { event: "attempt_failed", request, deployment, ...failure },
        "an attempt failed",
      ),
    // Not logged, because the vendor's message may quote the request.
    attemptEnded: () => undefined,
    ruleLearned: (deployment, rule, value) =>
      logger.warn(
        { event: "rule_learned", deployment, rule, value },
        "provider rejected a parameter; adjusting requests to this deployment until restart",
      ),
  }
}

/** Logs the results of requests. */
function requestEvents(
  logger: Logger,
  words: (error: unknown) => string,
): Pick<
  Events,
  "requestFailed" | "observerFailed" | "requestEnded" | "requestRejected" | "errorAnswered"
> {
  return {
    requestFailed: (request, error) =>
      logger.error(
        { event: "request_failed", request, error: words(error) },
        "request failed with an internal error",
      ),
    observerFailed: (request, error) =>
      logger.error(
        { event: "observer_failed", request, error: words(error) },
        "failed to count or log a completed request",
      ),
    requestEnded: lineWriter(logger, "request"),
    requestRejected: (request, endpoint, kind) =>
      logger.info({ event: "error_answered", request, endpoint, kind }),
    // Not logged, because the caller receives the error, and could otherwise flood the log.
    errorAnswered: () => undefined,
  }
}

/** Logs failed deliveries of request lines. */
function lineEvents(
  logger: Logger,
  clean: (text: string) => string,
): Pick<Events, "linesNotDelivered" | "linesDropped"> {
  const notDelivered = throttled((error, sink) =>
    logger.warn(
      { event: "lines_not_delivered", sink, error },
      "request lines are queued: their sink is unreachable or rejects them; logged at most once a minute per cause",
    ),
  )
  return {
    linesNotDelivered: (sink, reason) => notDelivered(`${sink}: ${clean(reason)}`, sink),
    linesDropped: (sink, lines) =>
      logger.error(
        { event: "lines_dropped", sink, lines },
        "dropped request lines (total since the start): their sink is too slow or rejects them",
      ),
  }
}

/** Logs the state of the ledger. */
function ledgerEvents(
  logger: Logger,
  words: (error: unknown) => string,
): Pick<
  Events,
  "ledgerFailed" | "ledgerUnavailable" | "ledgerAvailable" | "ledgerBehind" | "anchorFailed"
> {
  return {
    ledgerFailed: (error) =>
      logger.error(
        { event: "ledger_failed", error: words(error) },
        "the ledger could not be written",
      ),
    ledgerUnavailable: (message) =>
      logger.fatal(
        { event: "ledger_unavailable", message },
        "the ledger cannot be used; rejecting all requests",
      ),
    ledgerAvailable: () =>
      logger.warn({ event: "ledger_available" }, "the ledger is available again"),
    ledgerBehind: (message) => logger.error({ event: "ledger_behind" }, message),
    anchorFailed: (error) =>
      logger.error(
        { event: "anchor_failed", error: words(error) },
        "the anchor could not be written: a truncated ledger would go unnoticed",
      ),
  }
}

function workerEvents(logger: Logger): Pick<Events, "workerKilled"> {
  return {
    workerKilled: (processId, milliseconds) =>
      logger.error(
        { event: "worker_killed", process: processId, still_ms: Math.round(milliseconds) },
        "worker was blocked for too long; killed",
      ),
  }
}

/** Logs charges of vendors that no caller pays for. */
function unchargedEvents(
  logger: Logger,
): Pick<Events, "unpricedFeatureAllowed" | "usageUncharged" | "priceBelowCost"> {
  return {
    unpricedFeatureAllowed: (request, deployment, places) =>
      logger.error(
        { event: "unpriced_feature_allowed", request, deployment, places },
        "forwarded a request with a billed feature that has no price: unpriced_features is 'allow'",
      ),
    usageUncharged: (request, deployment, name) =>
      logger.error(
        { event: "usage_uncharged", request, deployment, name },
        "vendor reports usage that is not charged; logged once per name and deployment",
      ),
    priceBelowCost: (request, deployment, { stated, priced }) =>
      logger.error(
        {
          event: "price_below_cost",
          request,
          deployment,
          stated_nanodollars: stated.toString(),
          priced_nanocredits: priced.toString(),
        },
        "provider bills more than the model's price; logged once per deployment",
      ),
  }
}

/** Logs data that could not be stored or deleted. */
function storageEvents(
  logger: Logger,
  words: (error: unknown) => string,
): Pick<
  Events,
  | "imagesNotDeleted"
  | "contentsFailed"
  | "failuresLost"
  | "responseNotStored"
  | "conversationNotStored"
  | "vendorStateNotDeleted"
> {
  const lost = throttled((error, count) =>
    logger.warn(
      { event: "failures_lost", count, error },
      "dropped records of failed requests: too many, or they cannot be written; logged at most once a minute per cause",
    ),
  )
  const notStored = throttled((error, request) =>
    logger.error(
      { event: "conversation_not_kept", request, error },
      "failed to store a response for later requests, or to delete expired ones; logged at most once a minute per cause",
    ),
  )
  return {
    imagesNotDeleted: (error) =>
      logger.error(
        { event: "images_not_deleted", error: words(error) },
        "failed to delete images with expired links",
      ),
    contentsFailed: (error) =>
      logger.error(
        { event: "contents_failed", error: words(error) },
        "failed to store prompts and responses, or to delete expired ones",
      ),
    failuresLost: (count, error) =>
      lost(error === undefined ? "too many" : words(error), String(count)),
    responseNotStored: (request, error) =>
      logger.error(
        { event: "response_not_stored", request, error: words(error) },
        "failed to store the response of an idempotency key; retries get an error and are not charged",
      ),
    conversationNotStored: (request, error) => notStored(words(error), request),
    vendorStateNotDeleted: (error) =>
      logger.error(
        { event: "vendor_state_not_deleted", error: words(error) },
        "failed to delete references to expired vendor data",
      ),
  }
}

function text(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
