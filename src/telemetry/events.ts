import { lineWriter, type Logger } from "./logger.ts"
import { throttled } from "./throttle.ts"

/** The state of a newer list of known prices, with the number of prices that it changes. */
export interface PriceNews {
  readonly state: "applied" | "pending"
  /** Date of the list, `YYYY-MM-DD`. */
  readonly date: string
  readonly source: string
  readonly increased: number
  readonly decreased: number
  readonly added: number
  readonly removed: number
}

/** A request that was answered with an error. */
export interface AnsweredError {
  readonly request: string
  readonly endpoint: string
  /** The kind of error, as in the error table. */
  readonly kind: string
  /** HTTP status of the response. */
  readonly status: number
  /** The invalid field. */
  readonly parameter?: string | undefined
  /** The message sent to the caller. */
  readonly message: string
  /** The caller's key; absent if the caller is unknown. */
  readonly key?: { readonly id: string; readonly account: string } | undefined
  /** The model that the caller named; absent if the request was not read that far. */
  readonly model?: string | undefined
}

/** An upstream call that failed. */
export interface AttemptFailure {
  readonly request: string
  readonly deployment: string
  /** The vendor's HTTP status; 0 without a response. */
  readonly status: number
  /** The kind of error, as in the error table. */
  readonly kind: string
  /** The vendor's own error code. */
  readonly code?: string | undefined
  /** The vendor's message if there is one, without the operator's secrets. Only operators may read it. */
  readonly message: string
}

/**
 * The reason why an upstream call failed, for the log. It contains no text of the vendor, because that may quote the
 * request.
 */
export interface LoggedFailure {
  /** The kind of error, as in the error table. */
  readonly outcome: string
  /** The vendor's HTTP status; 0 without a response. */
  readonly status: number
  /** A description in the gateway's own words. */
  readonly cause: string
  /** The phase in which a connection failed, and the system's error code. */
  readonly phase?: string
  readonly code?: string
}

/** One method per event that matters to the operator. The methods never throw. */
export interface Events {
  writtenOff(request: string, nanocredits: bigint, reason: string): void
  settledLate(request: string, nanocredits: bigint): void
  holdExpired(request: string, account: string): void
  ledgerFailed(error: unknown): void
  ledgerUnavailable(message: string): void
  ledgerAvailable(): void
  ledgerBehind(message: string): void
  anchorFailed(error: unknown): void
  usageMissing(request: string, deployment: string): void
  /** A provider reports an audio duration that is longer than the hold covers. */
  audioAboveHold(request: string, deployment: string, nanocredits: bigint): void
  unpricedFeatureAllowed(request: string, deployment: string, places: readonly string[]): void
  usageUncharged(request: string, deployment: string, name: string): void
  attemptFailed(request: string, deployment: string, failure: LoggedFailure): void
  /**
   * Reports failed attempts, and rejections that the request itself has caused, with all details. These must not be
   * logged.
   */
  attemptEnded(failure: AttemptFailure): void
  /** A provider has rejected a parameter. Later requests to the deployment are adjusted. */
  ruleLearned(deployment: string, rule: string, value: string): void
  requestFailed(request: string, error: unknown): void
  /** An observer has failed to process a completed request. */
  observerFailed(request: string, error: unknown): void
  /** A request for which credits were held has ended. Only called if each request is logged. */
  requestEnded(line: string): void
  /** A request was answered with an error. Called only if each request is logged. */
  requestRejected(request: string, endpoint: string, kind: string): void
  /** A request was answered with an error. Called for every cause. */
  errorAnswered(answered: AnsweredError): void
  /** Request lines are queued because a sink is unreachable or rejects them. */
  linesNotDelivered(sink: string, reason: string): void
  /**
   * Lines were dropped.
   * @param lines number of lines that the sink has lost since the start.
   */
  linesDropped(sink: string, lines: number): void
  imagesNotDeleted(error: unknown): void
  contentsFailed(error: unknown): void
  vendorStateNotDeleted(error: unknown): void
  answerNotStored(request: string, error: unknown): void
  conversationNotStored(request: string, error: unknown): void
  nodeRejoined(): void
  nodeFailed(error: unknown): void
  /** The periodic maintenance of the database failed. */
  maintenanceFailed(error: unknown): void
  /** Old rows were removed from the ledger. */
  ledgerPruned(before: number, removed: number): void
  workerKilled(processId: number, milliseconds: number): void
  settingsApplied(changes: readonly string[]): void
  settingsRejected(message: string): void
  /** A list of known prices became active, or is waiting for the operator's approval. */
  priceChanged(news: PriceNews): void
  /** The daily check for newer prices failed. */
  pricesNotRefreshed(error: unknown): void
  /** Notices could not be stored or delivered, or their data could not be read. */
  noticesFailed(error: unknown): void
  /** Failures of requests were not stored, because there were too many at once or the database failed. */
  failuresLost(count: number, error?: unknown): void
  /** Traces or metrics did not reach the collector. */
  telemetryFailed(error: unknown): void
  warning(message: string): void
}

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
): Pick<Events, "unpricedFeatureAllowed" | "usageUncharged"> {
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
  | "answerNotStored"
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
    answerNotStored: (request, error) =>
      logger.error(
        { event: "answer_not_stored", request, error: words(error) },
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
