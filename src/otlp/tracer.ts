import { MODEL_KINDS } from "#contract/model-kinds.ts"
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"
import type { TelemetrySettings } from "../config/sections/telemetry.ts"
import type { Key } from "../keys/key.ts"
import type { PendingCharge } from "../relay/billing/pending-charge.ts"
import { lastNeeded } from "../relay/billing/receipt.ts"
import type { RequestObserver, SettledRequest } from "../relay/billing/request-observer.ts"
import {
  type Arrival,
  type AttemptTrace,
  type FailureObserver,
  RequestTrace,
  type TracedFailure,
} from "../relay/request/request-trace.ts"
import { newSpanId, readTraceContext } from "../telemetry/trace-context.ts"
import { ATTRIBUTES, vendorName } from "./names.ts"
import {
  attemptSpan,
  errorType,
  failureAttributes,
  isServerError,
  labelAttributes,
  requestAttributes,
  settledAttributes,
  unixTime,
} from "./request-spans.ts"
import {
  type Attributes,
  EndedSpan,
  type ReadableSpan,
  type SpanFacts,
  type Source,
} from "./span.ts"
import { clientOf, sourceOf } from "./connection.ts"
import { SpanQueue, type SpanQueueParts } from "./span-queue.ts"

/** A trace, with the span of its request after the request has ended. */
class OpenTrace extends RequestTrace {
  span: EndedSpan | undefined
}

const REJECTED = "rejected_by_upstream"

export interface TracerParts {
  readonly settings: Pick<TelemetrySettings, "sample" | "propagates" | "namesCallers">
  readonly source: Source
  /** Accepts ended spans. */
  readonly queue: { add(span: ReadableSpan): void }
}

/**
 * Creates one span per request, and a child span per upstream call. Requests are sampled at random, so callers can
 * neither request nor prevent tracing.
 */
export class Tracer implements RequestObserver, FailureObserver {
  readonly #settings: TracerParts["settings"]
  readonly #source: Source
  readonly #queue: TracerParts["queue"]

  constructor({ settings, source, queue }: TracerParts) {
    this.#settings = settings
    this.#source = source
    this.#queue = queue
  }

  /** Begins a trace or continues the caller's trace; undefined if the request is neither sampled nor propagated. */
  begin(request: Request, key: Key, arrival: Arrival): RequestTrace | undefined {
    const { sample, propagates } = this.#settings
    const isSampled = sample === 1 || Math.random() < sample
    if (!isSampled && !propagates) return undefined
    const { method, headers } = request
    const parent = readTraceContext(headers)
    return new OpenTrace({
      key,
      method,
      arrival,
      parent,
      isSampled,
      propagates,
      observer: this,
    })
  }

  settled(request: SettledRequest): void {
    const { charge } = request
    const { trace } = charge.call
    if (trace?.isSampled) this.#ended(trace, charge, settledAttributes(request))
  }

  released(charge: PendingCharge): void {
    const { trace } = charge.call
    if (trace?.isSampled) this.#ended(trace, charge, requestAttributes(charge))
  }

  failed(trace: RequestTrace, { request, endpoint, kind, status }: TracedFailure): void {
    const attributes = failureAttributes(kind, status)
    const isFailed = isServerError(status)
    const known = trace instanceof OpenTrace ? trace.span : undefined
    if (known) return known.add(attributes, isFailed)
    this.#request(trace, undefined, {
      name: `${trace.method} ${endpoint}`,
      attributes: { [ATTRIBUTES.route]: endpoint, [ATTRIBUTES.request]: request, ...attributes },
      isFailed,
    })
  }

  #ended(trace: RequestTrace, charge: PendingCharge, attributes: Attributes): void {
    const { model } = charge
    const outcome = lastNeeded(charge.attempts)?.outcome
    this.#request(trace, charge, {
      name: `${MODEL_KINDS[model.kind].traceName} ${model.requestedAs ?? model.id}`,
      attributes,
      // A request that the vendor rejected is the caller's mistake, so it is not a failure of the gateway.
      isFailed: errorType(outcome) !== undefined && outcome !== REJECTED,
    })
  }

  /** Adds the span of a request, or of a request's second operation, with the spans of its upstream calls. */
  #request(
    trace: RequestTrace,
    charge: PendingCharge | undefined,
    { name, attributes, isFailed }: Pick<SpanFacts, "name" | "attributes" | "isFailed">,
  ): void {
    const { parent, key, method } = trace
    const attempts = takeAttempts(trace, charge)
    const isFirst = !(trace instanceof OpenTrace && trace.span)
    const vendor = attempts.at(-1)?.called.client.vendor.id
    const spanId = isFirst ? trace.spanId : newSpanId()
    const endedAt = performance.now()
    const span = new EndedSpan(this.#source, {
      name,
      kind: isFirst ? "server" : "internal",
      traceId: trace.traceId,
      spanId,
      parentId: isFirst ? parent?.spanId : trace.spanId,
      isParentRemote: isFirst,
      state: parent?.state,
      startedAt: trace.receivedAt,
      endedAt: unixTime(trace, endedAt),
      isFailed,
      attributes: {
        ...attributes,
        [ATTRIBUTES.vendor]: vendor === undefined ? undefined : vendorName(vendor),
        [ATTRIBUTES.method]: method,
        ...(this.#settings.namesCallers && {
          [ATTRIBUTES.account]: key.account,
          [ATTRIBUTES.key]: key.id,
          ...(charge && labelAttributes(charge.call)),
        }),
      },
    })
    if (isFirst && trace instanceof OpenTrace) trace.span = span
    this.#queue.add(span)
    for (const attempt of attempts) {
      const facts = attemptSpan(trace, attempt, { spanId, endedAt }, charge)
      this.#queue.add(new EndedSpan(this.#source, facts))
    }
  }
}

/**
 * Takes the upstream calls of a charge, or all remaining calls. If a request has two operations, each has separate
 * calls.
 */
function takeAttempts(trace: RequestTrace, charge: PendingCharge | undefined): AttemptTrace[] {
  if (charge === undefined) return trace.attempts.splice(0)
  const isOwn = ({ outcome }: AttemptTrace): boolean =>
    charge.attempts.some((own) => own === outcome)
  const own = trace.attempts.filter(isOwn)
  if (own.length === trace.attempts.length) trace.attempts.length = 0
  else trace.attempts.splice(0, Infinity, ...trace.attempts.filter((one) => !isOwn(one)))
  return own
}

/** Starts tracing. The caller has to dispose of the queue after the last request. */
export function openTracing(
  settings: TelemetrySettings,
  parts: Pick<SpanQueueParts, "counted" | "failed">,
): { readonly tracer: Tracer; readonly queue: SpanQueue } {
  const serializer =
    settings.protocol === "http/json" ? JsonTraceSerializer : ProtobufTraceSerializer
  const queue = new SpanQueue({ ...parts, client: clientOf(settings, "/v1/traces"), serializer })
  return { queue, tracer: new Tracer({ settings, source: sourceOf(settings), queue }) }
}
