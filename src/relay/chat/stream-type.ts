import type { HttpResponse } from "../../wire/http/response.ts"
import type { Attempt } from "../upstream/attempt.ts"
import type { Plan } from "./plan.ts"

/** The media type of each framing. */
const MEDIA_TYPES = {
  sse: "text/event-stream",
  "event-stream": "application/vnd.amazon.eventstream",
} as const

/** Matches generic media types that do not identify the content. */
const UNTYPED = /^(text\/plain|application\/(x-ndjson|octet-stream))\b/i

/** Whether a response is sent in the stream format of its vendor's dialect. */
export function isStreamed({ plan }: Attempt<Plan>, response: HttpResponse): boolean {
  const type = response.header("content-type")
  if (type === null || type === "application/json") return false
  return type.toLowerCase().includes(MEDIA_TYPES[plan.binding.dialect.framing])
}

/** Whether a response is a stream without its media type. Some servers send the requested stream that way. */
export function isUntypedStream({ plan }: Attempt<Plan>, response: HttpResponse): boolean {
  if (plan.binding.dialect.framing !== "sse") return false
  const type = response.header("content-type")
  return type === null || UNTYPED.test(type)
}
