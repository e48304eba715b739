import type { ChatResult } from "../../../canon/chat.ts"
import type { OperationCall } from "../../../canon/operation.ts"
import { jsonOf, unusable } from "../../../canon/operation-response.ts"
import { addUsage, NO_USAGE, type Usage, usageOfCalls } from "../../../canon/usage.ts"
import type { Model } from "../../../catalog/model.ts"
import type { CountedUsage } from "../../billing/priced-usage.ts"
import type { Call } from "../../request/call.ts"
import { roughTokens } from "../../tokens/rough-tokens.ts"
import { type AccountCounter, countTexts } from "../../tokens/token-counter.ts"
import type { CountedOperationServices } from "../operations.ts"
import type { Outcome } from "../open-operation.ts"
import { fitToModel } from "../../fitting/fit-to-model.ts"
import type { OperationCandidate } from "../operation-candidate.ts"
import {
  boundOfChunks,
  readTranslation,
  type TranslationBound,
  type TranslationChunk,
  translationRequest,
} from "./translation-text.ts"

/** The text to translate, in chunks, and its hold. */
export interface TranslationTask {
  readonly chunks: readonly TranslationChunk[]
  readonly held: TranslationBound
  readonly prompt: string | undefined
  readonly call: Call
  readonly model: Model
}

/** A chat model's translations of the texts, and their usage. */
export interface TranslatedTexts extends CountedUsage {
  readonly texts: readonly string[]
}

type CountingServices = Pick<CountedOperationServices, "counter" | "alarms">

/**
 * Requests translations of texts from a chat model at one deployment.
 * @throws GatewayError if a call fails.
 */
export async function translateAt(
  candidate: OperationCandidate,
  task: TranslationTask,
  services: CountingServices,
): Promise<Outcome<TranslatedTexts>> {
  const { chunks, held, prompt, model } = task
  const { deployment, client } = candidate
  const bound = boundOfChunks(chunks, prompt)
  if (bound.input > held.input || bound.output > held.output) {
    throw unusable("its transcript is too long for its duration")
  }
  const [binding] = client.bindings(deployment)
  if (!binding) throw new Error(`provider ${client.provider} offers no chat dialect`)
  const { dialect, path, headers = {} } = binding
  const { upstreamModel } = deployment
  const limit = model.maxOutput ?? Number.POSITIVE_INFINITY
  const requests = chunks.map((chunk) =>
    translationRequest(chunk, { upstreamModel, prompt, limit }),
  )
  const calls = requests.map((request): OperationCall => {
    const fitted = fitToModel(request, candidate.rules).request
    const json = dialect.encodeRequest(fitted, candidate.rules).body
    return { path: path(upstreamModel, false), body: { type: "json", json }, headers }
  })
  const responses = await candidate.callAll(dialect, calls)
  const results = responses.map((response, index) =>
    dialect.decodeResult(jsonOf(response), requests[index]),
  )
  const counter = services.counter.of(task.call.key.account)
  const texts: string[] = []
  let usage = NO_USAGE
  let estimated = false
  for (const [index, chunk] of chunks.entries()) {
    const result = results[index]
    const translated = readTranslation(chunk, textOf(result))
    texts.push(...translated)
    const reported = usageOfCalls([result?.usage])
    estimated ||= reported === undefined
    usage = addUsage(usage, reported ?? (await countedUsage(counter, chunk, translated)))
  }
  if (estimated) services.alarms.usageMissing(task.call.id, deployment.id)
  return { value: { texts, usage, estimated }, losses: [] }
}

/** Returns the usage of a call that the vendor has not counted. */
async function countedUsage(
  counter: AccountCounter,
  sent: readonly string[],
  received: readonly string[],
): Promise<Usage> {
  const [inputFresh, output] = await Promise.all([
    countTexts(counter, sent),
    countTexts(counter, received),
  ])
  return { ...NO_USAGE, inputFresh, output }
}

/** Returns the usage if the caller disconnected before any translation arrived: the tokens of the texts. */
export function untranslatedUsage(chunks: readonly TranslationChunk[]): Usage {
  const bytes = chunks.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return { ...NO_USAGE, inputFresh: roughTokens(bytes) }
}

/**
 * Returns the text of a model's response.
 * @throws GatewayError `upstream_error` if the response is cut off or empty.
 */
function textOf(result: ChatResult | undefined): string {
  const [choice] = result?.choices ?? []
  const text = (choice?.parts ?? [])
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("")
  if (choice?.finish === "length") throw unusable("its translation is cut off")
  if (text.trim() === "") throw unusable("it contains no translation")
  return text
}
