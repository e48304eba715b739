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
  /**
   * The vendor's message if there is one, without the operator's secrets. Customers may only read why a vendor rejected
   * their own request.
   */
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
  /**
   * A provider states a cost above the price of the model.
   * @param costs amounts in nanocredits.
   */
  priceBelowCost(
    request: string,
    deployment: string,
    costs: { readonly stated: bigint; readonly priced: bigint },
  ): void
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
  responseNotStored(request: string, error: unknown): void
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
