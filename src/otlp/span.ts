import type { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"

/** A span in the format that the serializers of OpenTelemetry accept. */
export type ReadableSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number]
export type Resource = ReadableSpan["resource"]
export type Scope = ReadableSpan["instrumentationScope"]
type SpanContext = ReturnType<ReadableSpan["spanContext"]>
/** A time as seconds and nanoseconds. */
export type Time = ReadableSpan["startTime"]

export type AttributeValue = string | number | boolean | readonly string[]

/** Attributes by the names in `names.ts`. Undefined values are omitted. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

/** Constants of OpenTelemetry. */
export const SPAN_KINDS = { internal: 0, server: 1, client: 2 } as const

const IS_SAMPLED = 1
const UNSET = { code: 0 } as const
const FAILED = { code: 2 } as const
const NONE: never[] = []

/** The origin of spans and metrics, which is the same for the whole process. */
export interface Source {
  readonly resource: Resource
  readonly instrumentationScope: Scope
}

export interface SpanFacts {
  readonly name: string
  readonly kind: keyof typeof SPAN_KINDS
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  /** Whether the parent is a span of the caller. */
  readonly isParentRemote: boolean
  readonly state?: string | undefined
  /** Start of the span in Unix milliseconds, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  readonly isFailed: boolean
}

/** A span that has ended. Attributes of the response may still be added until it is sent. */
export class EndedSpan implements ReadableSpan {
  readonly name: string
  readonly kind: ReadableSpan["kind"]
  readonly parentSpanContext: SpanContext
  readonly startTime: Time
  readonly endTime: Time
  readonly duration: Time
  readonly ended = true
  readonly links = NONE
  readonly events = NONE
  readonly droppedAttributesCount = 0
  readonly droppedEventsCount = 0
  readonly droppedLinksCount = 0
  readonly resource: Resource
  readonly instrumentationScope: Scope
  readonly attributes: ReadableSpan["attributes"]
  status: ReadableSpan["status"]
  readonly #context: SpanContext

  constructor({ resource, instrumentationScope }: Source, facts: SpanFacts) {
    const { traceId, spanId, parentId = "", isParentRemote: isRemote, state } = facts
    this.resource = resource
    this.instrumentationScope = instrumentationScope
    this.name = facts.name
    this.kind = SPAN_KINDS[facts.kind]
    this.#context = {
      traceId,
      spanId,
      traceFlags: IS_SAMPLED,
      ...(state !== undefined && { traceState: new SentState(state) }),
    }
    this.parentSpanContext = { traceId, spanId: parentId, traceFlags: IS_SAMPLED, isRemote }
    this.startTime = timeOf(facts.startedAt)
    this.endTime = timeOf(facts.endedAt)
    this.duration = timeOf(Math.max(0, facts.endedAt - facts.startedAt))
    this.attributes = known(facts.attributes)
    this.status = facts.isFailed ? FAILED : UNSET
  }

  spanContext(): SpanContext {
    return this.#context
  }

  /** Adds the attributes of the response. */
  add(attributes: Attributes, isFailed: boolean): void {
    Object.assign(this.attributes, known(attributes))
    if (isFailed) this.status = FAILED
  }
}

function known(attributes: Attributes): ReadableSpan["attributes"] {
  const known: Record<string, string | number | boolean | string[]> = {}
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== undefined) known[name] = typeof value === "object" ? [...value] : value
  }
  return known
}

/** The trace state of other tracers, unchanged. */
class SentState {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  serialize(): string {
    return this.#text
  }

  get(): undefined {
    return undefined
  }

  set(): this {
    return this
  }

  unset(): this {
    return this
  }
}

/** Converts milliseconds with fractions to seconds and nanoseconds. */
export function timeOf(milliseconds: number): Time {
  const seconds = Math.floor(milliseconds / 1_000)
  return [seconds, Math.floor((milliseconds - seconds * 1_000) * 1_000_000)]
}
