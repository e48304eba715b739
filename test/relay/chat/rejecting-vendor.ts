import type { ScriptedVendor } from "../scripted-vendor.ts"
import { startVendor, streamed, wholeResponse, WHOLE_STREAM } from "../scripted-vendor.ts"

type Body = Readonly<Record<string, unknown>>

/** How a provider rejects a request. With status 200, the error is in a stream. */
export interface Rejection {
  readonly status: number
  /** The error in the provider's form. */
  readonly error: unknown
}

/** Returns the provider's rejection of a request; undefined if the provider answers it. */
export type Judge = (body: Body, path: string) => Rejection | undefined

/** Returns an error in OpenAI's form. */
export function openaiError(message: string, param: string | null, code: string | null): Rejection {
  return { status: 400, error: { error: { message, type: "invalid_request_error", param, code } } }
}

/** Rejects a field with OpenAI's error for a parameter that the model does not support. */
export function unsupported(field: string): Judge {
  return (body) =>
    body[field] === undefined
      ? undefined
      : openaiError(
          `Unsupported parameter: '${field}' is not supported with this model.`,
          field,
          "unsupported_parameter",
        )
}

/** Rejects requests that have a field. */
export function rejecting(field: string, rejection: Rejection): Judge {
  return (body) => (body[field] === undefined ? undefined : rejection)
}

/** Returns the first of several rejections. */
export function firstOf(...judges: readonly Judge[]): Judge {
  return (body, path) => {
    for (const judge of judges) {
      const rejection = judge(body, path)
      if (rejection !== undefined) return rejection
    }
    return undefined
  }
}

/**
 * A vendor that checks each request with the function that the first part of the path names. It answers valid requests.
 */
export interface RejectingVendor extends Disposable {
  /** Returns the address without `/v1`. */
  urlOf(name: string): string
  /** Returns the requests since the last call of this method, oldest first. */
  taken(): readonly { readonly path: string; readonly body: Body }[]
}

export function startRejectingVendor(judges: Readonly<Record<string, Judge>>): RejectingVendor {
  const paths: string[] = []
  let seen = 0
  const vendor: ScriptedVendor = startVendor((request, number) => {
    const [, name = "", ...rest] = new URL(request.url).pathname.split("/")
    const path = `/${rest.join("/")}`
    const body = vendor.bodies[number - 1] ?? {}
    paths.push(path)
    const rejection = judges[name]?.(body, path)
    if (rejection !== undefined) {
      if (rejection.status === 200)
        return streamed([`data: ${JSON.stringify(rejection.error)}\n\n`])
      return Response.json(rejection.error, { status: rejection.status })
    }
    if (path.endsWith("/messages")) return Response.json(MESSAGE)
    if (path.endsWith("/responses")) return responsesResponse(body.stream === true)
    return body.stream === true ? streamed([WHOLE_STREAM]) : Response.json(wholeResponse())
  })
  const root = vendor.url.replace(/\/v1$/, "")
  return {
    urlOf: (name) => `${root}/${name}`,
    taken() {
      const taken = vendor.bodies.slice(seen).map((body, index) => ({
        path: paths[seen + index] ?? "",
        body,
      }))
      seen = vendor.bodies.length
      return taken
    },
    [Symbol.dispose]: () => vendor[Symbol.dispose](),
  }
}

/** A response in Anthropic's format that is not streamed. */
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "x",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 1 },
}

function responsesResponse(isStream: boolean): Response {
  const item = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "Hello", annotations: [] }],
  }
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "x",
    output: [item],
    usage: { input_tokens: 10, output_tokens: 1, total_tokens: 11 },
  }
  if (!isStream) return Response.json(response)
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta: "Hello",
    },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ]
  return streamed(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
}
