import type { ImageFormat, ImageRequest } from "../../../canon/image.ts"
import type { OperationResponse, OperationCall } from "../../../canon/operation.ts"
import { ImageEventReader, paidEvent } from "../../../dialects/image/stream.ts"
import { formatCredits } from "../../../ledger/money.ts"
import type { Call } from "../../request/call.ts"
import { draftsUsage, imagesUsage } from "./image-usage.ts"
import {
  awaitFirst,
  type BodyEnd,
  chargedBody,
  type Chunks,
  type Ending,
  eventsOf,
} from "../charged-body.ts"
import type { OpenOperation } from "../open-operation.ts"
import {
  type OperationCandidate,
  readWhole,
  type UpstreamResponse,
} from "../operation-candidate.ts"

/** An image that a vendor streams, after its first event has arrived. */
export interface ImageStreaming {
  readonly response: UpstreamResponse
  readonly reader: ImageEventReader
  /** Outgoing events, except for the last one. */
  readonly chunks: Chunks
}

/**
 * The result of a call that requested a stream: a stream, or a complete response from a vendor that ignored the
 * request.
 */
export type StreamedImage =
  | ({ readonly type: "stream" } & ImageStreaming)
  | { readonly type: "whole"; readonly response: OperationResponse }

/**
 * Requests a streamed image from a vendor.
 * @throws GatewayError if the call fails before any event has arrived.
 */
export async function streamImage(
  candidate: OperationCandidate,
  format: ImageFormat,
  call: OperationCall,
): Promise<StreamedImage> {
  const upstream = await candidate.call(call, format)
  const { attempt, response } = upstream
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return { type: "whole", response: await readWhole(upstream, format) }
  }
  const reader = new ImageEventReader()
  try {
    const chunks = await awaitFirst(eventsOf(upstream, reader))
    attempt.succeed()
    return { type: "stream", response: upstream, reader, chunks }
  } catch (thrown) {
    throw attempt.fail(thrown)
  }
}

/** Returns the stream for the caller. Its last event, with the image, is sent once the request is charged. */
export function imageBody(
  open: OpenOperation<unknown>,
  streaming: ImageStreaming,
  request: ImageRequest,
  call: Call,
): ReadableStream<Uint8Array> {
  const { deployment } = open
  const { response: upstream, reader, chunks } = streaming
  const { attempt } = upstream
  const end = async (ending: Ending): Promise<BodyEnd> => {
    if (ending === "whole") {
      attempt.succeed()
      const reported = reader.usage
      const counted = { images: 1, ...(reported && { usage: reported }) }
      const { charged } = await open.settle(imagesUsage(counted, deployment, request))
      const last = paidEvent(reader.last ?? {}, formatCredits(charged))
      return { isCharged: true, last }
    }
    const used = draftsUsage(reader.drafts, request, deployment, ending === "left")
    if (used) await open.settle({ usage: used, estimated: true })
    else open[Symbol.dispose]()
    return { isCharged: used !== undefined }
  }
  return chargedBody({ attempt, chunks, call, hasErrorEvents: true, end })
}
