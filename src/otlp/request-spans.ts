import { MODEL_KINDS } from "#contract/model-kinds.ts"
import { ERROR_KINDS } from "../canon/errors.ts"
import { cacheWrites, totalInput, totalOutput, type Usage } from "../canon/usage.ts"
import { formatCredits } from "../ledger/money.ts"
import type { PendingCharge } from "../relay/billing/pending-charge.ts"
import { lastNeeded } from "../relay/billing/receipt.ts"
import type { SettledRequest } from "../relay/billing/request-observer.ts"
import type { Call } from "../relay/request/call.ts"
import type { AttemptTrace, RequestTrace } from "../relay/request/request-trace.ts"
import { ATTRIBUTES, vendorName } from "./names.ts"
import type { Attributes, SpanFacts } from "./span.ts"

const OK_STATUS = 200
/** The lowest HTTP status that reports a server error. */
const SERVER_ERROR = 500

const A = ATTRIBUTES

/** Returns the attributes of a request for which credits were held, whether or not it was charged. */
export function requestAttributes({
  call,
  model,
  request,
  attempts,
  losses,
}: PendingCharge): Attributes {
  const outcome = lastNeeded(attempts)?.outcome
  return {
    [A.operation]: MODEL_KINDS[model.kind].traceName,
    [A.outputType]: MODEL_KINDS[model.kind].traceOutput,
    [A.requestModel]: model.requestedAs ?? model.id,
    [A.isStreamed]: request?.stream,
    [A.route]: call.endpoint,
    [A.request]: call.id,
    [A.model]: model.id,
    [A.attempts]: attempts.length,
    [A.losses]: losses.length === 0 ? undefined : losses.map(({ name }) => name),
    [A.outcome]: outcome,
    [A.errorType]: errorType(outcome),
  }
}

/**
 * Matches text that contains an email address. Such text must not reach a collector, because it could not be removed
 * when a person's data is erased.
 */
const ADDRESS = /\S@\S/

/**
 * Returns the caller's labels as attributes, with the names by which tools group traces. Labels with an email address
 * are omitted. If the user is an email address, it is replaced by a hash, which is the same for all requests of this
 * user to one account.
 */
export function labelAttributes({ labels, key }: Call): Attributes {
  if (labels === undefined) return {}
  const { user, session, tags = {} } = labels
  const isNamed = user !== undefined && ADDRESS.test(user)
  const known = session === undefined || ADDRESS.test(session) ? undefined : session
  const texts = Object.entries(tags).map(([name, value]) => `${name}=${value}`)
  const shown = texts.filter((text) => !ADDRESS.test(text))
  return {
    [A.user]: isNamed ? undefined : user,
    [A.userHash]: isNamed ? hashOf(`${key.account}\n${user}`) : undefined,
    [A.session]: known,
    [A.conversation]: known,
    [A.tags]: shown.length === 0 ? undefined : shown,
  }
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex")
}

/** Returns the attributes of a charged request. */
export function settledAttributes(settled: SettledRequest): Attributes {
  const { charge, deployment, priced, settlement } = settled
  const { call, firstByteAt } = charge
  const first = firstByteAt === undefined ? undefined : (firstByteAt - call.startedAt) / 1_000
  return {
    ...requestAttributes(charge),
    [A.responseModel]: deployment.upstreamModel,
    [A.provider]: deployment.provider,
    [A.deployment]: deployment.id,
    [A.status]: OK_STATUS,
    [A.firstChunk]: first,
    [A.isEstimated]: priced.estimated || undefined,
    [A.cost]: formatCredits(priced.cost.total),
    [A.charged]: formatCredits(settlement.charged),
    ...usageAttributes(priced.usage),
  }
}

/** Returns the token counts as attributes. Zero counts are omitted, except for those that every response has. */
function usageAttributes(usage: Usage): Attributes {
  return {
    [A.inputTokens]: totalInput(usage),
    [A.outputTokens]: totalOutput(usage),
    [A.cacheReadTokens]: usage.inputCacheRead + usage.audioCacheRead || undefined,
    [A.cacheWriteTokens]: cacheWrites(usage) || undefined,
    [A.reasoningTokens]: usage.reasoning + usage.reasoningBeside || undefined,
  }
}

/** The parent of the span of an upstream call. */
interface ParentSpan {
  readonly spanId: string
  /** The end by `performance.now()`. No child span ends later. */
  readonly endedAt: number
}

/** Returns the span of an upstream call, which is a child of the request's span. */
export function attemptSpan(
  trace: RequestTrace,
  attempt: AttemptTrace,
  parent: ParentSpan,
  charge: PendingCharge | undefined,
): SpanFacts {
  const { deployment, client } = attempt.called
  const { status, outcome } = attempt.outcome
  const kind = charge?.model.kind ?? "chat"
  const failure = errorType(outcome)
  const isStreamed = charge?.request?.stream === true && failure === undefined
  const { startedAt, answeredAt } = attempt
  const endedAt = Math.min(attempt.endedAt ?? Infinity, parent.endedAt)
  return {
    name: `${MODEL_KINDS[kind].traceName} ${deployment.upstreamModel}`,
    kind: "client",
    traceId: trace.traceId,
    spanId: attempt.spanId,
    parentId: parent.spanId,
    isParentRemote: false,
    startedAt: unixTime(trace, startedAt),
    endedAt: unixTime(trace, endedAt),
    isFailed: failure !== undefined,
    attributes: {
      [A.operation]: MODEL_KINDS[kind].traceName,
      [A.vendor]: vendorName(client.vendor.id),
      [A.requestModel]: deployment.upstreamModel,
      [A.provider]: deployment.provider,
      [A.deployment]: deployment.id,
      [A.method]: "POST",
      [A.status]: status === 0 ? undefined : status,
      [A.outcome]: outcome,
      [A.errorType]: failure,
      [A.firstChunk]:
        isStreamed && answeredAt !== undefined ? (answeredAt - startedAt) / 1_000 : undefined,
      ...serverOf(client.base),
    },
  }
}

const servers = new Map<string, Attributes>()
const MAX_SERVERS = 1_000
const PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 }

/** Returns only the host and port of a provider's address. The results are cached, because there are few addresses. */
function serverOf(base: string): Attributes {
  let server = servers.get(base)
  if (server === undefined) {
    const { hostname, port, protocol } = new URL(base)
    server = {
      [A.serverAddress]: hostname,
      [A.serverPort]: port === "" ? PORTS[protocol] : Number(port),
    }
    if (servers.size < MAX_SERVERS) servers.set(base, server)
  }
  return server
}

/** Returns the attributes of an error response. */
export function failureAttributes(kind: string, status: number): Attributes {
  return { [A.errorType]: kind, [A.status]: status }
}

/** Whether a status reports an error of the server rather than of its caller. */
export function isServerError(status: number): boolean {
  return status >= SERVER_ERROR
}

/** Returns the outcome if it is a failure; undefined for success and for calls that were ended on purpose. */
export function errorType(outcome: string | undefined): string | undefined {
  return outcome !== undefined && outcome in ERROR_KINDS ? outcome : undefined
}

/** Converts a time of `performance.now()` to Unix milliseconds. */
export function unixTime({ receivedAt, startedAt }: RequestTrace, moment: number): number {
  return receivedAt + (moment - startedAt)
}
