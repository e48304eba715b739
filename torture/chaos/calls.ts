import type { OfficialClient } from "../../test/chaos/official-clients.ts"
import type { TortureNode } from "../node.ts"

/** A model with three deployments, and how their vendor is spoken to. */
export interface ChaosModel {
  readonly id: string
  /** The dialect of its vendors; of operations it is `operation`. */
  readonly upstream: string
}

/** What a caller wants. */
export interface ChaosPlan {
  readonly client: OfficialClient
  readonly model: ChaosModel
  /** In no other request. */
  readonly text: string
}

/** How it ended, as the caller and the wire saw it. */
export interface ChaosCall {
  readonly plan: ChaosPlan
  readonly node: number
  /** Milliseconds. */
  readonly duration: number
  /** 0 when there was no answer. */
  readonly status: number
  readonly requestId: string | null
  /** The body as it came, up to a limit. */
  readonly raw: string
  /** What the client took for the whole answer; undefined when it threw. */
  readonly got: string | undefined
  /** What the client threw. */
  readonly thrown: string
}

/** Of a body; the largest that is expected is a picture. */
const MOST_KEPT = 1_000_000

/** Asks once. */
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
      if (seen.raw.length < MOST_KEPT) seen.raw += decoder.decode(bytes, { stream: true })
      controller.enqueue(bytes)
    },
  })
}
