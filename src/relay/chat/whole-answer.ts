import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { ChatResult, Choice } from "../../canon/chat.ts"
import type { Part } from "../../canon/message.ts"
import { GatewayError } from "../../canon/errors.ts"
import { type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { addAnswerHeaders } from "../pipeline/answer-headers.ts"
import { callUpstream, type Use, type Used } from "./attempts.ts"
import type { Answer } from "../pipeline/call.ts"
import { correctRate, type Exchange, giveUp, type RelayServices } from "../pipeline/exchange.ts"
import { foldAnswer } from "./fold-answer.ts"
import { limitedResult } from "./limited-result.ts"
import { Meter } from "./meter.ts"
import { type Plan, recordOf } from "./plan.ts"
import { readingParts } from "./reading-parts.ts"
import { ownCount } from "../billing/priced-usage.ts"
import { recordState } from "../state/record-state.ts"
import type { Seal } from "./reasoning-envelope.ts"
import type { StateRecorder } from "../state/state-recorder.ts"
import type { Attempt } from "../upstream/attempt.ts"
import { isStreamed } from "./upstream-stream.ts"

interface Received {
  readonly attempt: Attempt
  /** As the vendor wrote it; absent where it was asked for a stream. */
  readonly body?: JsonObject
  /** As much of it as is the caller's. */
  readonly told: ChatResult
  readonly meter: Meter
}

/** A whole answer: as the vendor wrote it but for the named patches, or through the canon. */
export async function answerWhole(services: RelayServices, exchange: Exchange): Promise<Answer> {
  const { billing, limiter } = services
  const { bill, dialect, request, headers, leash, keeping } = exchange
  let used: Used<Received>
  try {
    used = await callUpstream(services, exchange, (plan) => receiver(services, exchange, plan))
  } catch (error) {
    giveUp(services, exchange)
    throw error
  } finally {
    leash[Symbol.dispose]()
  }
  const { plan, all } = used
  for (const { attempt } of all) attempt[Symbol.dispose]()
  const [first] = all
  const meter = all.length === 1 && first ? first.meter : Meter.sum(all.map((one) => one.meter))
  const reckoned = billing.reckon(bill, plan.deployment, meter)
  const reckoning = reckoned instanceof Promise ? await reckoned : reckoned
  const settlement = await billing.settle(bill, plan.deployment, reckoning)
  correctRate(limiter, exchange.call, reckoning.usage)
  addAnswerHeaders(headers, {
    provider: plan.endpoint.provider,
    losses: bill.losses,
    cost: settlement.charged,
    balance: settlement.balance,
  })
  headers["content-type"] = "application/json"
  const counted = ownCount(reckoning, plan.limits !== undefined)
  const body = first?.body
  if (plan.isVerbatim && body) {
    plan.offer.dialect.patches?.result(body, {
      model: request.model,
      streamUsage: request.streamUsage,
    })
    if (counted !== undefined) dialect.setUsage(body, counted)
    services.contents.keep(exchange.call, exchange.call.body, body)
    if (keeping) await services.conversations.keep(keeping, body)
    return { headers, body: JSON.stringify(body) }
  }
  const results = all.map(({ told }) => told)
  const whole = sealed(merged(results, meter), exchange.seal, plan)
  const told = counted === undefined ? whole : { ...whole, usage: counted }
  const answer = dialect.encodeResult({ ...told, model: request.model }, request)
  services.contents.keep(exchange.call, exchange.call.body, answer)
  if (keeping) await services.conversations.keep(keeping, answer)
  return { headers, body: JSON.stringify(answer) }
}

/** Reads a whole answer; one that cannot be read is a failed attempt, and another deployment may do. */
function receiver(services: RelayServices, exchange: Exchange, plan: Plan): Use<Received> {
  const recorder = recordState(services, exchange, plan)
  return async (attempt, response) => {
    if (plan.request.stream && isStreamed(attempt, response)) {
      const parts = readingParts(services, exchange, plan, recorder)
      const told = await foldAnswer(attempt, response, parts)
      return { attempt, told, meter: parts.meter }
    }
    return receiveWhole({ services, exchange, plan, recorder }, attempt, response)
  }
}

interface Receiving {
  readonly services: RelayServices
  readonly exchange: Exchange
  readonly plan: Plan
  readonly recorder: StateRecorder | undefined
}

async function receiveWhole(
  { services, exchange, plan, recorder }: Receiving,
  attempt: Attempt,
  response: HttpAnswer,
): Promise<Received> {
  const { offer, request, limits } = plan
  const body = parseJsonObject(await attempt.text(response))
  if (!body) {
    throw new GatewayError(
      "upstream_error",
      `Provider '${attempt.provider}' sent an answer that is not JSON. Try again.`,
    )
  }
  const result = offer.dialect.decodeResult(body, request)
  const record = recordOf(exchange.bill, plan)
  record?.answer(body)
  recorder?.look(body)
  const meter = new Meter()
  meter.result(result)
  meter.reported = body
  if (record) meter.records = [record]
  const told = limits ? await limitedResult(result, limits, services.counter) : result
  return { attempt, body, told, meter }
}

/** The answers to several calls as one: a choice of each, its usage that of all. */
function merged(results: readonly ChatResult[], meter: Meter): ChatResult {
  const [first = { choices: [] }] = results
  if (results.length === 1) return first
  const choices = results.flatMap(({ choices: [choice] }, index): Choice[] =>
    choice === undefined ? [] : [{ ...choice, index }],
  )
  const { usage: _, ...rest } = first
  return meter.usage === undefined ? { ...rest, choices } : { ...rest, choices, usage: meter.usage }
}

function sealed(result: ChatResult, seal: Seal, plan: Plan): ChatResult {
  const sealPart = (part: Part): Part => {
    if (part.type !== "reasoning") return part
    const { signature = "", signedBy = plan.offer.dialect.id } = part
    const text = seal.seal({ ...part, signature, signedBy }, plan.endpoint.provider)
    return { ...part, signature: text }
  }
  const choices = result.choices.map((choice) => ({ ...choice, parts: choice.parts.map(sealPart) }))
  return { ...result, choices }
}
