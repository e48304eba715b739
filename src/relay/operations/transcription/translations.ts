import type { ChatResult } from "../../../canon/chat.ts"
import type { Loss } from "../../../canon/extra.ts"
import { GatewayError } from "../../../canon/errors.ts"
import type { OperationCall } from "../../../canon/operation.ts"
import { jsonOf, unusable } from "../../../canon/operation-answer.ts"
import type {
  Transcript,
  TranscriptForm,
  TranscriptionRequest,
} from "../../../canon/transcription.ts"
import { addUsage, isNoUsage, NO_USAGE, type Usage } from "../../../canon/usage.ts"
import { isPriced, type Model } from "../../../catalog/model.ts"
import { addAnswerHeaders, notCarried } from "../../pipeline/answer-headers.ts"
import type { Call, Caller } from "../../pipeline/call.ts"
import { countTexts, type EmbeddingServices } from "../embedding/embeddings.ts"
import type { OperationPlan } from "../operation-plan.ts"
import { hearAt, hearingPlan } from "./transcription-format.ts"
import { transcriptionUsage, worstTranscription } from "./transcription-usage.ts"
import {
  boundOfBytes,
  boundOfPieces,
  piecesOfLines,
  piecesOfText,
  readTranslation,
  type TranslationBound,
  type TranslationPiece,
  translationRequest,
} from "./translation-text.ts"
import type { Target } from "../../upstream/attempt.ts"
import type { OpenOperation, Outcome } from "../open-operation.ts"
import type { OperationCandidate } from "../operation-candidate.ts"
import type { Operation } from "../operation.ts"
import type { EndReason } from "../../pipeline/end-reason.ts"

export type TranslatingServices = Pick<EmbeddingServices, "operations" | "counter" | "alarms">

/** A sound whose model writes down what is said, and cannot say it in English. */
export interface TranslatingOrder {
  readonly call: Call
  readonly request: TranscriptionRequest
  readonly model: Model
}

/** English text that is paid for. */
export interface Translated {
  readonly transcript: Transcript
  readonly headers: Record<string, string>
}

/** What a chat model made of the texts, and what that used. */
interface Translation {
  readonly texts: readonly string[]
  readonly usage: Usage
  /** Whether the usage is our own count. */
  readonly estimated: boolean
}

/** What is to be translated, within what is held for it. */
interface TranslationTask {
  readonly pieces: readonly TranslationPiece[]
  readonly held: TranslationBound
  readonly prompt: string | undefined
  readonly call: Call
  readonly model: Model
}

const EMULATED: Loss = { name: "translation", effect: "emulated" }

/** Text of a second of speech at most: fifteen characters of three bytes, and a few. */
const MOST_BYTES_PER_SECOND = 48
const FRAME = 1_024

/**
 * Translations of models that only transcribe: what they write down is translated by a chat model. That
 * is a request of its own, with a charge and a receipt of its own. What both can cost is held before
 * either is called, and they are charged together or not at all.
 */
export class Translating {
  readonly #services: TranslatingServices

  constructor(services: TranslatingServices) {
    this.#services = services
  }

  /**
   * @param hearing what writes the sound down, not admitted yet.
   * @throws GatewayError; then nothing is held any more.
   */
  async translate(
    order: TranslatingOrder,
    hearing: Operation,
    caller: Caller,
  ): Promise<Translated> {
    const { operations } = this.#services
    const { call, request, model } = order
    const textModel = this.#textModel(order)
    if (call.isStrict) throw notCarried([EMULATED])
    const held = boundOfTranscript(request)
    const ofText = textCall(call)
    const translating = operations.prepare(ofText, caller, true)
    await hearing.admit({ model, worst: worstTranscription(request, model) })
    await orRelease(hearing, translating.admit({ model: textModel, worst: usageOf(held) }))
    const opening = hearing.open((candidate) => transcribeAt(candidate, request, call))
    const heard = await orRelease(translating, opening)
    const pieces = piecesOf(heard.value, request.form)
    if (pieces.length === 0) {
      translating.release("not_needed")
      const transcript = english(heard.value, undefined)
      return { transcript, headers: await this.#charge(heard, request) }
    }
    const task = { pieces, held, prompt: request.prompt, call: ofText, model: textModel }
    const translated = await orRelease(
      heard,
      translating.open((candidate) => this.#translateAt(candidate, task)),
    )
    const transcript = english(heard.value, translated.value.texts, request.form)
    const headers = await this.#charge(heard, request, translated)
    headers["x-tollgate-also-charged"] = task.call.id
    return { transcript, headers }
  }

  /** What it takes: to write down, and to translate. @throws GatewayError */
  plan(order: TranslatingOrder): OperationPlan[] {
    const { call, request, model } = order
    const text = {
      call: textCall(call),
      model: this.#textModel(order),
      worst: usageOf(boundOfTranscript(request)),
    }
    const hearing = hearingPlan(call, heardOf(request), model)
    const lossesAt = async (target: Target): Promise<Loss[]> => [
      ...(await hearing.lossesAt(target)),
      ...emulationLosses(request),
    ]
    return [
      { ...hearing, worst: worstTranscription(request, model), lossesAt },
      // Of silence nothing has to be translated.
      { ...text, least: NO_USAGE, lossesAt: () => [] },
    ]
  }

  /** The operator's choice, else the first that can be called. */
  #textModel({ call: { key }, model }: TranslatingOrder): Model {
    const { catalog, translationModel } = this.#services.operations.config
    const chosen = translationModel === undefined ? undefined : catalog.find(translationModel)
    if (translationModel !== undefined && !(chosen && isUsable(chosen))) {
      throw notSupported(
        model,
        `and the operator's setting 'defaults.translation_model' names '${translationModel}', which is no chat model with a price.`,
      )
    }
    if (chosen && key.allows?.(chosen.id) !== false) return chosen
    const first = catalog.list(key.allows).find(isUsable)
    if (first) return first
    throw notSupported(
      model,
      "and there is no chat model that this key may call to translate its text. Use a model that translates, such as one of the Whisper family, or ask the operator to set 'defaults.translation_model'.",
    )
  }

  async #translateAt(
    candidate: OperationCandidate,
    task: TranslationTask,
  ): Promise<Outcome<Translation>> {
    const { pieces, held, prompt, model } = task
    const { deployment, endpoint } = candidate
    const bound = boundOfPieces(pieces, prompt)
    if (bound.input > held.input || bound.output > held.output) {
      throw unusable("its transcript is longer than what can be said in so short a time")
    }
    const [offer] = endpoint.offers(deployment)
    if (!offer) throw new Error(`provider ${endpoint.provider} offers no chat dialect`)
    const { dialect, path, headers = {} } = offer
    const { upstreamModel } = deployment
    const limit = model.maxOutput ?? Number.POSITIVE_INFINITY
    const requests = pieces.map((piece) =>
      translationRequest(piece, { upstreamModel, prompt, limit }),
    )
    const calls = requests.map((request): OperationCall => {
      const json = dialect.encodeRequest(request).body
      return { path: path(upstreamModel, false), body: { type: "json", json }, headers }
    })
    const answers = await candidate.callAll(dialect, calls)
    const results = answers.map((answer, index) =>
      dialect.decodeResult(jsonOf(answer), requests[index]),
    )
    const texts = pieces.flatMap((piece, index) => readTranslation(piece, spoken(results[index])))
    const counted = await this.#usageOf(results, { task, candidate, texts })
    return { value: { texts, ...counted }, losses: [] }
  }

  /** What the vendor counted, or our own count where it did not count every call. */
  async #usageOf(
    results: readonly ChatResult[],
    { task, candidate, texts }: Told,
  ): Promise<Pick<Translation, "usage" | "estimated">> {
    const { counter, alarms } = this.#services
    const told = results.flatMap(({ usage }) => (usage && !isNoUsage(usage) ? [usage] : []))
    if (told.length === results.length) {
      return { usage: told.reduce(addUsage, NO_USAGE), estimated: false }
    }
    alarms.usageMissing(task.call.id, candidate.deployment.id)
    const [input, output] = await Promise.all([
      countTexts(counter, task.pieces.flat()),
      countTexts(counter, texts),
    ])
    return { usage: { ...NO_USAGE, inputFresh: input, output }, estimated: true }
  }

  /** Charges both at once, so that they share a commit; the headers tell of the sum. */
  async #charge(
    heard: OpenOperation<Transcript>,
    request: TranscriptionRequest,
    translated?: OpenOperation<Translation>,
  ): Promise<Record<string, string>> {
    const { usage, estimated } = transcriptionUsage(heard.value, request, heard.deployment.price)
    const [one, other] = await Promise.all([
      heard.settle(usage, estimated),
      translated?.settle(translated.value.usage, translated.value.estimated),
    ])
    const { headers, losses } = heard
    if (other) {
      const cost = one.charged + other.charged
      addAnswerHeaders(headers, { losses, cost, balance: other.balance })
    }
    return headers
  }
}

function isUsable(model: Model): boolean {
  return model.kind === "chat" && isPriced(model)
}

interface Told {
  readonly task: TranslationTask
  readonly candidate: OperationCandidate
  readonly texts: readonly string[]
}

/** Waits; if that fails, nothing is held any more by the other one either. */
async function orRelease<Result>(
  other: { release(reason: EndReason): void },
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    other.release("not_needed")
    throw error
  }
}

/** The translating, with a charge and a receipt of its own. */
function textCall(call: Call): Call {
  return { ...call, id: `${call.id}-translation` }
}

function boundOfTranscript({ audio, prompt }: TranscriptionRequest): TranslationBound {
  const bytes = Math.ceil(audio.mostSeconds) * MOST_BYTES_PER_SECOND + FRAME
  return boundOfBytes(bytes, prompt)
}

function usageOf({ input, output }: TranslationBound): Usage {
  return { ...NO_USAGE, inputFresh: input, output }
}

/** The prompt is English, and about the English text: whoever hears another language is not told it. */
function heardOf(request: TranscriptionRequest): TranscriptionRequest {
  const { prompt: _, form, ...rest } = request
  return {
    ...rest,
    form,
    task: "transcribe",
    granularities: form === "verbose_json" ? ["segment"] : [],
    stream: false,
  }
}

async function transcribeAt(
  candidate: OperationCandidate,
  request: TranscriptionRequest,
  call: Call,
): Promise<Outcome<Transcript>> {
  const { value, losses } = await hearAt(candidate, heardOf(request), call)
  if (value.type !== "whole") throw new Error("nobody asked for a stream")
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

/** Forms in which every segment stands for itself. */
const TIMED: ReadonlySet<TranscriptForm> = new Set(["srt", "vtt", "verbose_json", "diarized_json"])

/** What has to be translated: nothing of silence, nothing of what was said in English. */
function piecesOf({ text, language, segments }: Transcript, form: TranscriptForm) {
  if (language !== undefined && /^en(glish|[-_].*)?$/i.test(language)) return []
  if (!segments || !TIMED.has(form)) return piecesOfText(text)
  return piecesOfLines(segments.flatMap((segment) => segment.text.trim() || []))
}

/** The transcript with its text in English. @param texts what was translated; undefined: nothing had to be. */
function english(
  heard: Transcript,
  texts: readonly string[] | undefined,
  form?: TranscriptForm,
): Transcript {
  const { body: _, words: __, ...rest } = heard
  const { segments } = heard
  if (texts === undefined) return { ...rest, language: "en" }
  const text = texts.join(" ")
  if (!segments || form === undefined || !TIMED.has(form)) return { ...rest, text, language: "en" }
  const left = texts.values()
  const translated = segments.map((segment) => ({
    ...segment,
    text: segment.text.trim() === "" ? "" : (left.next().value ?? ""),
  }))
  return { ...rest, text, language: "en", segments: translated }
}

/** What a model said. @throws GatewayError `upstream_error` when that is not all, or nothing. */
function spoken(result: ChatResult | undefined): string {
  const [choice] = result?.choices ?? []
  const text = (choice?.parts ?? [])
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("")
  if (choice?.finish === "length") throw unusable("its translation is cut off")
  if (text.trim() === "") throw unusable("it holds no translation")
  return text
}

function notSupported({ id }: Model, why: string): GatewayError {
  return new GatewayError(
    "model_not_supported",
    `The model '${id}' transcribes but does not translate, ${why}`,
    { parameter: "model" },
  )
}
