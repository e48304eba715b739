import type { Deployment } from "../../catalog/model.ts"
import type { Key } from "../../keys/key.ts"
import {
  newSpanId,
  newTraceId,
  type TraceContext,
  traceParent,
} from "../../telemetry/trace-context.ts"
import type { HttpRequest } from "../../wire/http/request.ts"
import type { ProviderClient } from "./provider-client.ts"

/** The destination of an upstream call. */
interface Called {
  readonly deployment: Deployment
  readonly client: Pick<ProviderClient, "base" | "vendor">
}

/** How an upstream call ended, as on the receipt. */
interface CallOutcome {
  readonly status: number
  readonly outcome: string
}

/** A request that ended with an error response. */
export interface TracedFailure {
  readonly request: string
  readonly endpoint: string
  readonly kind: string
  readonly status: number
}

/** Receives error responses to traced requests. */
export interface FailureObserver {
  failed(trace: RequestTrace, failure: TracedFailure): void
}

/** When a request arrived, by both clocks. */
export interface Arrival {
  /** Unix milliseconds. */
  readonly receivedAt: number
  /** The same moment as returned by `performance.now()`. */
  readonly startedAt: number
}

export interface TraceParts {
  readonly key: Key
  readonly method: string
  readonly arrival: Arrival
  /** The trace context that the caller sent. */
  readonly parent: TraceContext | undefined
  readonly isSampled: boolean
  /** Whether the trace context is sent to vendors. */
  readonly propagates: boolean
  readonly observer: FailureObserver
}

/**
 * The place of a request in its trace. It is only created for requests that are traced, or whose trace continues at
 * vendors.
 */
export class RequestTrace implements Arrival {
  readonly key: Key
  readonly method: string
  readonly receivedAt: number
  readonly startedAt: number
  readonly parent: TraceContext | undefined
  readonly traceId: string
  readonly spanId = newSpanId()
  readonly isSampled: boolean
  /** Upstream calls for which no span has been created yet. */
  readonly attempts: AttemptTrace[] = []
  readonly propagates: boolean
  readonly #observer: FailureObserver

  constructor(parts: TraceParts) {
    const { key, method, arrival, parent, isSampled, propagates, observer } = parts
    this.key = key
    this.method = method
    this.receivedAt = arrival.receivedAt
    this.startedAt = arrival.startedAt
    this.parent = parent
    this.traceId = parent?.traceId ?? newTraceId()
    this.isSampled = isSampled
    this.propagates = propagates
    this.#observer = observer
  }

  /** Records the start of an upstream call. */
  begin(called: Called, outcome: CallOutcome): AttemptTrace {
    const attempt = new AttemptTrace(this, called, outcome)
    if (this.isSampled) this.attempts.push(attempt)
    return attempt
  }

  /** Records that the request ended with an error response. */
  failed(failure: TracedFailure): void {
    if (this.isSampled) this.#observer.failed(this, failure)
  }
}

/** An upstream call in a trace. Times are as returned by `performance.now()`. */
export class AttemptTrace {
  readonly spanId = newSpanId()
  readonly called: Called
  readonly outcome: CallOutcome
  readonly startedAt = performance.now()
  /** Time at which the response arrived; for a stream, time of its first frame. */
  answeredAt: number | undefined = undefined
  endedAt: number | undefined = undefined
  readonly #request: RequestTrace

  constructor(request: RequestTrace, called: Called, outcome: CallOutcome) {
    this.#request = request
    this.called = called
    this.outcome = outcome
  }

  /** Returns a request for a vendor. It contains the trace context if traces are sent to vendors. */
  carriedBy(request: HttpRequest): HttpRequest {
    const { traceId, isSampled, parent, propagates } = this.#request
    if (!propagates) return request
    const headers = new Headers(request.headers)
    headers.set("traceparent", traceParent(traceId, this.spanId, isSampled))
    if (parent?.state !== undefined) headers.set("tracestate", parent.state)
    return { ...request, headers }
  }

  /** Records that the response has arrived. */
  answered(): void {
    this.answeredAt ??= performance.now()
  }

  /** Records that no further part of the response is read. */
  ended(): void {
    this.endedAt ??= performance.now()
  }
}
