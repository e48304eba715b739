import type { ChatEvent } from "../../canon/chat.ts"
import type { ClientDialect, EventEncoder, SseFrame, UpstreamDialect } from "../../canon/dialect.ts"
import { GatewayError, type GatewayErrorDetails } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject } from "../../canon/json.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { reportedErrorIn } from "../../canon/reported-error.ts"
import { isLargeJson } from "../../canon/sliced-json-text.ts"
import { eventsOf } from "../../canon/unfold.ts"
import type { Usage } from "../../canon/usage.ts"
import type { HttpResponse } from "../../wire/http/response.ts"
import { encodeText } from "../../wire/sse.ts"
import { BILLED } from "../upstream/response-size.ts"
import type { Attempt } from "../upstream/attempt.ts"
import { readJson } from "../upstream/read-response.ts"
import type { Plan } from "./plan.ts"
import { reportedFailure } from "./reported-failure.ts"
import { piecesOf } from "./text-backlog.ts"

/** Maximum characters that are written in one turn of the event loop. */
const SLICE_LENGTH = 32 * 1024
/** Maximum characters of the unknown members of a response or choice, because a single frame contains all of them. */
const MAX_MEMBERS_LENGTH = 4 * 1024 * 1024

/**
 * Returns the stream of a whole response, in its own dialect, for a vendor that ignored the request for a stream.
 * @throws GatewayError if the response reports an error or cannot be streamed.
 */
export async function wholeAsStream(
  attempt: Attempt<Plan>,
  response: HttpResponse,
): Promise<AsyncIterator<Uint8Array, undefined>> {
  const body = await readJson(attempt, response)
  const error = reportedErrorIn(body)
  if (error !== undefined) throw reportedFailure(attempt, error, response.headers)
  const { binding, request } = attempt.plan
  const { dialect } = binding
  if (!isJsonObject(body)) throw notStreamed(attempt.provider)
  if (!isClient(dialect)) {
    const isResponse = countUsage(attempt, body) !== undefined
    throw notStreamed(attempt.provider, isResponse ? BILLED : {})
  }
  const encoder = dialect.encodeEvents({ ...request, stream: true, streamUsage: true })
  let events: Iterable<ChatEvent>
  try {
    events = eventsOf(dialect.decodeResult(body, request))
  } catch (failure) {
    // The provider may still bill the response.
    countUsage(attempt, body)
    throw failure
  }
  return slicesOf(framesOf(checked(events, attempt.provider), encoder))
}

/** Counts the usage of a response that cannot be passed on, and returns it. */
function countUsage({ meter, plan }: Attempt<Plan>, body: JsonObject): Usage | undefined {
  const usage = plan.binding.dialect.usageIn(body)
  for (const record of meter?.records ?? []) record.response(body)
  if (meter) meter.usage = usage
  return usage
}

/** Whether a dialect also has a client side, so that it can be written. */
function isClient(dialect: UpstreamDialect): dialect is UpstreamDialect & ClientDialect {
  return "encodeEvents" in dialect
}

function* checked(events: Iterable<ChatEvent>, provider: string): Generator<ChatEvent, undefined> {
  for (const event of events) {
    const fields = "extra" in event ? event.extra?.fields : undefined
    if (fields && isLargeJson(fields, MAX_MEMBERS_LENGTH)) throw notStreamed(provider)
    yield event
  }
}

function notStreamed(provider: string, details: GatewayErrorDetails = {}): GatewayError {
  return new GatewayError(
    "upstream_error",
    `Provider '${provider}' did not answer with a stream. Try again without 'stream'.`,
    details,
  )
}

/** Yields the stream in slices, each of which is written in a separate turn of the event loop. */
async function* slicesOf(frames: Iterable<SseFrame>): AsyncGenerator<Uint8Array, undefined> {
  let text = ""
  for (const piece of piecesOf(frames)) {
    text += piece
    if (text.length < SLICE_LENGTH) continue
    yield encodeText(text)
    text = ""
    await ownTurn()
  }
  yield encodeText(text)
  return undefined
}

function* framesOf(
  events: Iterable<ChatEvent>,
  encoder: EventEncoder,
): Generator<SseFrame, undefined> {
  for (const event of events) yield* encoder.push(event)
  yield* encoder.end()
}
