import type { OperationCall } from "../../../canon/operation.ts"
import type {
  Transcript,
  TranscriptionFormat,
  TranscriptionRequest,
} from "../../../canon/transcription.ts"
import { TranscriptEventReader } from "../../../dialects/transcription/stream.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import type { Model } from "../../../catalog/model.ts"
import { notCarried } from "../../pipeline/response-headers.ts"
import type { Call } from "../../request/call.ts"
import type { RuntimeConfig } from "../../request/runtime-config.ts"
import { awaitFirst, type Chunks, eventsOf } from "../charged-body.ts"
import type { Outcome } from "../open-operation.ts"
import {
  type OperationCandidate,
  readWhole,
  type UpstreamResponse,
} from "../operation-candidate.ts"
import type { OperationPlan } from "../operation-plan.ts"
import { formatOf } from "../vendor-format.ts"
import { transcriptionLimits } from "./transcription-usage.ts"

/** The response of a vendor: a transcript, or a stream of a transcript. */
export type TranscriptReceived =
  | { readonly type: "whole"; readonly transcript: Transcript }
  | {
      readonly type: "stream"
      readonly response: UpstreamResponse
      readonly reader: TranscriptEventReader
      readonly chunks: Chunks
    }

/** A transcription or translation, and its model. */
export interface TranscriptionInput {
  readonly call: Call
  readonly request: TranscriptionRequest
  readonly model: Model
}

export function transcriptionPlan(
  { call, request, model }: TranscriptionInput,
  { clients }: RuntimeConfig,
): OperationPlan {
  return {
    call,
    model,
    ...transcriptionLimits(request, model, clients),
    // The vendor reports the duration, which may be shorter than the bytes suggest, but not zero.
    min: { ...NO_USAGE, seconds: 1 },
    async lossesAt(candidate) {
      const encoded = await formatOf(candidate, "transcription").encode(
        request,
        candidate.deployment.upstreamModel,
      )
      return encoded.losses
    },
  }
}

/**
 * Requests the transcription of an audio file from one deployment.
 * @throws GatewayError if the call fails.
 */
export async function transcribeAt(
  candidate: OperationCandidate,
  request: TranscriptionRequest,
  call: Call,
): Promise<Outcome<TranscriptReceived>> {
  const format = formatOf(candidate, "transcription")
  const { calls, losses } = await format.encode(request, candidate.deployment.upstreamModel)
  if (call.isStrict && losses.length > 0) throw notCarried(losses)
  const [only] = calls
  if (!only) throw new Error("a transcription is one call")
  return { value: await receive(candidate, format, only, request), losses }
}

async function receive(
  candidate: OperationCandidate,
  format: TranscriptionFormat,
  call: OperationCall,
  request: TranscriptionRequest,
): Promise<TranscriptReceived> {
  const upstream = await candidate.call(call, format)
  const { attempt, response } = upstream
  const type = response.headers.get("content-type")
  if (!request.stream || !type?.startsWith("text/event-stream")) {
    const whole = await readWhole(upstream, format)
    return { type: "whole", transcript: format.decode(whole, request) }
  }
  const reader = new TranscriptEventReader()
  try {
    const chunks = await awaitFirst(passedOn(upstream, reader))
    return { type: "stream", response: upstream, reader, chunks }
  } catch (thrown) {
    throw attempt.fail(thrown)
  }
}

/** Yields the events before the last one, which waits for the charge. */
async function* passedOn(upstream: UpstreamResponse, reader: TranscriptEventReader): Chunks {
  yield* eventsOf(upstream, reader)
  return reader.last
}
