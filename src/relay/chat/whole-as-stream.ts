import type { ClientDialect, UpstreamDialect } from "../../canon/dialect.ts"
import { GatewayError } from "../../canon/errors.ts"
import { isJsonObject } from "../../canon/json.ts"
import { reportedErrorIn } from "../../canon/reported-error.ts"
import { eventsOf } from "../../canon/unfold.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import { formatEvent } from "../../wire/sse.ts"
import type { Attempt } from "../upstream/attempt.ts"
import { reportedFailure } from "./reported-failure.ts"

/**
 * The stream of an answer that came whole although a stream was requested, in its own dialect.
 * @throws GatewayError that the answer reports, or if it cannot be streamed.
 */
export async function wholeAsStream(
  attempt: Attempt,
  response: HttpAnswer,
): Promise<AsyncIterator<Uint8Array, undefined>> {
  const body = await attempt.json(response)
  const error = reportedErrorIn(body)
  if (error !== undefined) throw reportedFailure(attempt, error, response.headers)
  const { binding, request } = attempt.plan
  const { dialect } = binding
  if (!isJsonObject(body) || !isClient(dialect)) {
    throw new GatewayError(
      "upstream_error",
      `Provider '${attempt.provider}' did not answer with a stream. Try again without 'stream'.`,
    )
  }
  const encoder = dialect.encodeEvents({ ...request, stream: true, streamUsage: true })
  const events = eventsOf(dialect.decodeResult(body, request))
  const frames = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
  return streamOf(new TextEncoder().encode(frames.map(formatEvent).join("")))
}

/** Whether a dialect can be written as well as read. */
function isClient(dialect: UpstreamDialect): dialect is UpstreamDialect & ClientDialect {
  return "encodeEvents" in dialect
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes
  return undefined
}
