import type { OfficialClient } from "../../test/chaos/official-clients.ts"
import type { TortureNode } from "../node.ts"

/** A model with three deployments, and the dialect of their vendor. */
export interface ChaosModel {
  readonly id: string
  /** The dialect of its vendors; `operation` for operations. */
  readonly upstream: string
}

/** A caller's request. */
export interface ChaosPlan {
  readonly client: OfficialClient
  readonly model: ChaosModel
  /** A text that no other request contains. */
  readonly text: string
}

/** The outcome of a call, as seen by the caller and on the wire. */
export interface ChaosCall {
  readonly plan: ChaosPlan
  readonly node: number
  /** Milliseconds. */
  readonly duration: number
  /** 0 when there was no answer. */
  readonly status: number
  readonly requestId: string | null
  /** The body as received, up to a limit. */
  readonly raw: string
  /** The text that the client accepted as the whole answer; undefined if it threw. */
  readonly got: string | undefined
  /** The error of the client. */
  readonly thrown: string
}

/** Maximum stored characters of a body; the largest expected one is an image. */
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
