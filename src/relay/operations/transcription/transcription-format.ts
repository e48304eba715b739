import { GatewayError } from "../../../canon/errors.ts"
import type { OperationCall } from "../../../canon/operation.ts"
import { unusable } from "../../../canon/operation-answer.ts"
import type {
  Transcript,
  TranscriptionFormat,
  TranscriptionRequest,
} from "../../../canon/transcription.ts"
import { TranscriptEventReader } from "../../../dialects/transcription/stream.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import type { Model } from "../../../catalog/model.ts"
import type { Call } from "../../pipeline/call.ts"
import type { OperationPlan } from "../operation-plan.ts"
import { type Pieces, piecesOf } from "../charged-body.ts"
import { worstTranscription } from "./transcription-usage.ts"
import type { Target } from "../../upstream/attempt.ts"
import type { Outcome } from "../open-operation.ts"
import { type OperationCandidate, readWhole, type UpstreamAnswer } from "../operation-candidate.ts"
import { notCarried } from "../../pipeline/answer-headers.ts"

/** What came of a sound: a transcript, or a vendor's own stream of one. */
export type Heard =
  | { readonly type: "whole"; readonly transcript: Transcript }
  | {
      readonly type: "stream"
      readonly answer: UpstreamAnswer
      readonly reader: TranscriptEventReader
      readonly pieces: Pieces
    }

/** What writing a sound down takes. */
export function hearingPlan(
  call: Call,
  request: TranscriptionRequest,
  model: Model,
): OperationPlan {
  return {
    call,
    model,
    worst: worstTranscription(request, model),
    // A vendor says how long it was, and may say less than its bytes do.
    least: NO_USAGE,
    async lossesAt(target) {
      const encoded = await formatOf(target).encode(request, target.deployment.upstreamModel)
      return encoded.losses
    },
  }
}

/** Has a sound written down at one deployment. @throws GatewayError */
export async function hearAt(
  candidate: OperationCandidate,
  request: TranscriptionRequest,
  call: Call,
): Promise<Outcome<Heard>> {
  const format = formatOf(candidate)
  const { calls, losses } = await format.encode(request, candidate.deployment.upstreamModel)
  if (call.isStrict && losses.length > 0) throw notCarried(losses)
  const [only] = calls
  if (!only) throw new Error("a transcription is one call")
  return { value: await hear(candidate, format, only, request), losses }
}

async function hear(
  candidate: OperationCandidate,
  format: TranscriptionFormat,
  call: OperationCall,
  request: TranscriptionRequest,
): Promise<Heard> {
  const answer = await candidate.call(call, format)
  const { attempt, response } = answer
  const { headers } = response
  if (request.stream && headers.get("content-type")?.startsWith("text/event-stream")) {
    const reader = new TranscriptEventReader(attempt.memory)
    try {
      const pieces = await begun(passedOn(answer, reader))
      return { type: "stream", answer, reader, pieces }
    } catch (thrown) {
      throw attempt.fail(thrown)
    }
  }
  return { type: "whole", transcript: format.decode(await readWhole(answer), request) }
}

export function formatOf({ endpoint }: Target): TranscriptionFormat {
  const format = endpoint.vendor.operations?.transcription
  if (format) return format
  throw new GatewayError(
    "model_not_supported",
    `Provider '${endpoint.provider}' has no transcription that this gateway knows.`,
    { parameter: "model" },
  )
}

/** The vendor's bytes as they come; from those that hold its last event on they wait for the charge. */
async function* passedOn(answer: UpstreamAnswer, reader: TranscriptEventReader): Pieces {
  const kept: Uint8Array[] = []
  for await (const piece of piecesOf(answer)) {
    reader.push(piece)
    if (reader.isOver) kept.push(piece)
    else yield piece
  }
  if (!reader.isOver) throw unusable("it ended before its last event")
  return Buffer.concat(kept)
}

/** Waits for the first piece, so that a failure before it is one of this attempt alone. */
async function begun(pieces: Pieces): Promise<Pieces> {
  const first = await pieces.next()
  return withFirst(first, pieces)
}

async function* withFirst(
  first: IteratorResult<Uint8Array, Uint8Array | undefined>,
  rest: Pieces,
): Pieces {
  if (first.done) return first.value
  yield first.value
  return yield* rest
}
