import type { Loss } from "../../../canon/extra.ts"
import type { Transcript, TranscriptionRequest } from "../../../canon/transcription.ts"
import { NO_USAGE } from "../../../canon/usage.ts"
import { addResponseHeaders, notCarried } from "../../pipeline/response-headers.ts"
import type { Call, Caller } from "../../request/call.ts"
import { billedResponseOf, isCallerGone } from "../../lifetime/call-failure.ts"
import type { Candidate } from "../../upstream/attempt.ts"
import type { CountedOperationServices } from "../operations.ts"
import type { OpenOperation, Outcome } from "../open-operation.ts"
import type { Operation } from "../operation.ts"
import type { OperationCandidate } from "../operation-candidate.ts"
import type { OperationPlan, UsageLimits } from "../operation-plan.ts"
import { translatorOf } from "./models.ts"
import { transcribeAt, type TranscriptionInput, transcriptionPlan } from "./transcribe.ts"
import {
  transcriptionLimits,
  transcriptionUsage,
  unreadUsage,
  withOutputLimit,
} from "./transcription-usage.ts"
import { type TranslatedTexts, translateAt, untranslatedUsage } from "./translate-text.ts"
import {
  asEnglish,
  boundOfBytes,
  chunksOf,
  type TranslationBound,
  withEnglish,
} from "./translation-text.ts"

/**
 * Translations with models that only transcribe. A chat model translates the transcript as a separate operation, with
 * its own charge and receipt. The cost of both operations is held before either model is called. If the translation
 * fails, the transcription is free, unless the caller has disconnected or the provider bills the failed translation.
 */

/** English text that has been charged. */
export interface Translation {
  readonly transcript: Transcript
  readonly headers: Record<string, string>
}

const EMULATED: Loss = { name: "translation", effect: "emulated" }

/** Maximum bytes of text in a second of speech: fifteen characters of three bytes, and a margin. */
const MAX_BYTES_PER_SECOND = 48
const FRAME = 1_024

/**
 * Transcribes an audio file and translates its text.
 * @param transcribing the operation of the transcription, which the caller disposes of.
 * @throws GatewayError. Nothing is charged, unless the caller has disconnected or a provider bills an unusable
 * response.
 */
export async function translate(
  services: CountedOperationServices,
  { call, request: unlimited, model }: TranscriptionInput,
  transcribing: Operation,
  caller: Caller,
): Promise<Translation> {
  const { operations } = services
  const translator = translatorOf(call, model, operations.config)
  if (call.isStrict) throw notCarried([EMULATED])
  const ofText = textCall(call)
  const request = withOutputLimit(unlimited, model)
  const { clients } = operations.config
  using translating = operations.prepare(ofText, caller, true)
  const held = boundOfTranscript(request)
  await transcribing.admit({
    model,
    ...transcriptionLimits(request, model, clients),
    isWhole: true,
  })
  await translating.admit({ model: translator, ...limitsOf(held), isWhole: true })
  using transcribed = await transcribing.open({
    attempt: (candidate) => transcribeWhole(candidate, request, call),
    unread: (candidate) => unreadUsage(request, candidate),
  })
  const { value: transcript } = transcribed
  const chunks = chunksOf(transcript, request.form)
  if (chunks.length === 0) {
    translating[Symbol.dispose]()
    const english = asEnglish(transcript)
    await settle(transcribed, request)
    return { transcript: english, headers: transcribed.headers }
  }
  const task = { chunks, held, prompt: request.prompt, call: ofText, model: translator }
  const translation = translating.open({
    attempt: (candidate) => translateAt(candidate, task, services),
    unread: ({ unreadUsage: reported }) => reported ?? untranslatedUsage(chunks),
  })
  using translated = await translation.catch(async (failure: unknown) => {
    if (isCallerGone(failure) || billedResponseOf(failure) !== undefined)
      await settle(transcribed, request)
    throw failure
  })
  const english = withEnglish(transcript, translated.value.texts, request.form)
  const headers = await settleBoth(transcribed, translated, request)
  headers["x-tollgate-also-charged"] = ofText.id
  return { transcript: english, headers }
}

/**
 * Returns the plans of the two operations, transcription and translation.
 * @throws GatewayError if the request cannot be served.
 */
export function translationPlans(
  { operations }: CountedOperationServices,
  { call, request, model }: TranscriptionInput,
): OperationPlan[] {
  const text = {
    call: textCall(call),
    model: translatorOf(call, model, operations.config),
    ...limitsOf(boundOfTranscript(request)),
  }
  const input = { call, request: transcriptionOf(request), model }
  const plan = transcriptionPlan(input, operations.config)
  const lossesAt = async (candidate: Candidate): Promise<Loss[]> => [
    ...(await plan.lossesAt(candidate)),
    ...emulationLosses(request),
  ]
  return [
    { ...plan, ...transcriptionLimits(request, model, operations.config.clients), lossesAt },
    // Silence needs no translation.
    { ...text, min: NO_USAGE, lossesAt: () => [] },
  ]
}

/** Returns the call of the translation, which has its own charge and receipt. */
function textCall(call: Call): Call {
  return { ...call, id: `${call.id}-translation` }
}

function boundOfTranscript({ audio, prompt }: TranscriptionRequest): TranslationBound {
  const bytes = Math.ceil(audio.maxSeconds) * MAX_BYTES_PER_SECOND + FRAME
  return boundOfBytes(bytes, prompt)
}

function limitsOf({ input, output, calls }: TranslationBound): UsageLimits {
  return { worst: { ...NO_USAGE, inputFresh: input, output }, calls }
}

function settle(transcribed: OpenOperation<Transcript>, request: TranscriptionRequest) {
  const { value, deployment } = transcribed
  return transcribed.settle(transcriptionUsage(value, request, deployment))
}

/** Charges both operations at the same time, so that they share a commit. The headers contain their total cost. */
async function settleBoth(
  transcribed: OpenOperation<Transcript>,
  translated: OpenOperation<TranslatedTexts>,
  request: TranscriptionRequest,
): Promise<Record<string, string>> {
  const [one, other] = await Promise.all([
    settle(transcribed, request),
    translated.settle(translated.value),
  ])
  const { headers, losses } = transcribed
  const cost = one.charged + other.charged
  addResponseHeaders(headers, { losses, cost, balance: other.balance })
  return headers
}

/**
 * Returns the request for the transcription. It omits the prompt, which is in English and about the English text,
 * because the transcript may be in another language.
 */
function transcriptionOf(request: TranscriptionRequest): TranscriptionRequest {
  const { prompt: _, form, ...rest } = request
  return {
    ...rest,
    form,
    task: "transcribe",
    granularities: form === "verbose_json" ? ["segment"] : [],
    stream: false,
  }
}

async function transcribeWhole(
  candidate: OperationCandidate,
  request: TranscriptionRequest,
  call: Call,
): Promise<Outcome<Transcript>> {
  const { value, losses } = await transcribeAt(candidate, transcriptionOf(request), call)
  if (value.type !== "whole")
    throw new Error("the provider returned a stream that was not requested")
  return { value: value.transcript, losses: [...losses, ...emulationLosses(request)] }
}

function emulationLosses({ stream, granularities }: TranscriptionRequest): Loss[] {
  const losses: Loss[] = [EMULATED]
  if (stream) losses.push({ name: "stream", effect: "approximated" })
  if (granularities.includes("word")) {
    losses.push({ name: "timestamp_granularities", effect: "dropped" })
  }
  return losses
}
