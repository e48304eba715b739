import type { ChatResult, Choice } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"
import type { Part } from "../../canon/message.ts"
import type { Usage } from "../../canon/usage.ts"
import { Meter } from "../metering/meter.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import type { ChatContext } from "./chat-context.ts"
import { modelNameOf } from "./chat-request.ts"
import { reportLostMedia } from "./lost-media.ts"
import type { Plan } from "./plan.ts"
import type { ReasoningSigner } from "./reasoning-envelope.ts"
import type { TriedPlan } from "./unread-response.ts"

export interface Received {
  /** The body of the vendor's response; absent if a stream was requested. */
  readonly body?: JsonObject
  /** The part of the result that the caller receives. */
  readonly reported: ChatResult
  readonly meter: Meter
  /** Whether the body is at most a few kilobytes; absent if a stream was received. */
  readonly isSmall?: boolean
  /** The rest of the call, as in `FoldedResponse`. */
  readonly rest?: Promise<void> | undefined
}

/** The calls of a plan, and their complete responses. There is one response, or one for each choice. */
export interface PlanCalls extends TriedPlan {
  readonly recorder: StateRecorder | undefined
  readonly all: Received[]
  /** The counts of billed calls whose responses could not be read. */
  readonly unread: readonly Meter[]
}

/**
 * Returns the body of the response.
 * @param counted the usage that replaces the vendor's usage, if the vendor's usage is not charged.
 */
export function bodyOf(
  context: ChatContext,
  calls: PlanCalls,
  signer: ReasoningSigner,
  counted: Usage | undefined,
): JsonObject {
  const { plan, all } = calls
  const [first] = all
  return plan.isVerbatim && first?.body
    ? patchedBody(context, plan, first.body, counted)
    : encodedBody(context, plan, signed(merged(calls), signer, plan), counted)
}

function patchedBody(
  context: ChatContext,
  plan: Plan,
  body: JsonObject,
  counted: Usage | undefined,
): JsonObject {
  const { dialect, request } = context
  const { streamUsage, choices } = request
  const model = modelNameOf(context, plan)
  plan.binding.dialect.patches?.result(body, { model, streamUsage, choices })
  if (counted !== undefined) dialect.setUsage(body, counted)
  return body
}

function encodedBody(
  context: ChatContext,
  plan: Plan,
  result: ChatResult,
  counted: Usage | undefined,
): JsonObject {
  const reported = counted === undefined ? result : { ...result, usage: counted }
  const { dialect, request } = context
  return dialect.encodeResult({ ...reported, model: modelNameOf(context, plan) }, request)
}

/** Merges the responses of several calls: the first choice of each response, and the total usage. */
function merged(calls: PlanCalls): ChatResult {
  const results = calls.all.map(({ reported }) => reported)
  const [first = { choices: [] }] = results
  if (results.length === 1 && calls.unread.length === 0) return first
  const choices = results.flatMap(({ choices: [choice] }, index): Choice[] =>
    choice === undefined ? [] : [{ ...choice, index }],
  )
  const { usage: _, ...rest } = first
  const sum = meterOf(calls).usage
  return sum === undefined ? { ...rest, choices } : { ...rest, choices, usage: sum }
}

function signed(result: ChatResult, signer: ReasoningSigner, plan: Plan): ChatResult {
  const signPart = (part: Part): Part => {
    if (part.type !== "reasoning") return part
    const { signature = "", signedBy = plan.binding.dialect.id } = part
    const text = signer.sign({ ...part, signature, signedBy }, plan.client.credentialId)
    return { ...part, signature: text }
  }
  const choices = result.choices.map((choice) => ({ ...choice, parts: choice.parts.map(signPart) }))
  return { ...result, choices }
}

/** Returns the combined counts of several calls. */
export function meterOf({ all, unread }: PlanCalls): Meter {
  const meters = [...all.map(({ meter }) => meter), ...unread]
  const [first, ...others] = meters
  return first && others.length === 0 ? first : Meter.sum(meters)
}

/** Reports the parts of a response that the caller cannot receive. */
export function reportLost({ charge, dialect }: ChatContext, { all }: PlanCalls): void {
  for (const { reported } of all) {
    for (const part of reported.choices.flatMap(({ parts }) => parts)) {
      if (part.type === "image" || part.type === "audio") reportLostMedia(charge, dialect, part)
    }
  }
}
