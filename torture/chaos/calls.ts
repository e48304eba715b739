import type { OfficialClient } from "../../test/chaos/official-clients.ts"
import type { TortureNode } from "../node.ts"

/** A model with three deployments, and the dialect of their vendors. */
export interface ChaosModel {
  readonly id: string
  /** The dialect of the vendors; `operation` for operations other than chat. */
  readonly upstream: string
}

/** A caller's request. */
export interface ChaosPlan {
  readonly client: OfficialClient
  readonly model: ChaosModel
  /** A text that no other request contains. */
  readonly text: string
}

/** The outcome of a call, as its caller saw it and as sent on the network. */
export interface ChaosCall {
  readonly plan: ChaosPlan
  readonly node: number
  /** Duration in milliseconds. */
  readonly duration: number
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  readonly requestId: string | null
  /** The received body, up to a maximum length. */
  readonly raw: string
  /** The text that the client accepted as the complete response; undefined if the client threw an error. */
  readonly got: string | undefined
  /** The error that the client threw. */
  readonly thrown: string
}

/** Maximum number of characters stored of a body. The largest expected body is an image. */
const MAX_STORED = 1_000_000

/** Sends one request. */
export async function ask(plan: ChaosPlan, node: TortureNode, key: string): Promise<ChaosCall> {
  const seen = { status: 0, requestId: null as string | null, raw: "" }
  const watched = Object.assign(
    async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const response = await fetch(input, init)
      seen.status = response.status
      seen.requestId = response.headers.get("x-request-id")
      return new Response(response.body?.pipeThrough(copyTo(seen)), response)
    },
    { preconnect: fetch.preconnect },
  )
  const { client, model, text } = plan
  const begun = performance.now()
  const order = { url: node.url ?? "", key, model: model.id, text, fetch: watched }
  let got: string | undefined
  let thrown = ""
  try {
    got = await client.ask(order)
  } catch (error) {
    thrown = error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error)
  }
  return { plan, node: node.index, duration: performance.now() - begun, ...seen, got, thrown }
}

function copyTo(seen: { raw: string }): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  return new TransformStream({
    transform(bytes, controller) {
      if (seen.raw.length < MAX_STORED) seen.raw += decoder.decode(bytes, { stream: true })
      controller.enqueue(bytes)
    },
  })
}
