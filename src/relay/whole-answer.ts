import { GatewayError } from "../canon/errors.ts"
import { type JsonObject, parseJsonObject } from "../canon/json.ts"
import { addAnswerHeaders } from "./answer-headers.ts"
import type { Answer } from "./call.ts"
import { Meter } from "./meter.ts"
import { callUpstream } from "./attempts.ts"
import { correctRate, type Exchange, giveUp, type RelayServices } from "./exchange.ts"
import type { Attempt } from "./upstream.ts"

interface Received {
  readonly attempt: Attempt
  readonly body: JsonObject
  readonly meter: Meter
}

/** A whole answer on the verbatim path: as the vendor wrote it, but for the named patches. */
export async function answerVerbatim(services: RelayServices, exchange: Exchange): Promise<Answer> {
  const { billing, limiter } = services
  const { bill, dialect, request, headers } = exchange
  let received: Received
  try {
    received = await callUpstream(services, exchange, receive)
  } catch (error) {
    giveUp(services, exchange)
    throw error
  }
  const { attempt, body, meter } = received
  attempt[Symbol.dispose]()
  exchange.leash.attempt = undefined
  const reckoned = billing.reckon(bill, attempt.deployment, meter)
  const reckoning = reckoned instanceof Promise ? await reckoned : reckoned
  const settlement = await billing.settle(bill, attempt.deployment, reckoning)
  correctRate(limiter, exchange.call, reckoning.usage)
  dialect.patches.result(body, { model: request.model, streamUsage: request.streamUsage })
  addAnswerHeaders(headers, {
    provider: attempt.endpoint.provider,
    losses: bill.losses,
    cost: settlement.charged,
    balance: settlement.balance,
  })
  headers["content-type"] = "application/json"
  return { headers, body: JSON.stringify(body) }
}

/** Reads a whole answer; one that cannot be read is a failed attempt, and another deployment may do. */
async function receive(attempt: Attempt, response: Response): Promise<Received> {
  const body = parseJsonObject(await attempt.text(response))
  if (!body) {
    throw new GatewayError(
      "upstream_error",
      `Provider '${attempt.endpoint.provider}' sent an answer that is not JSON. Try again.`,
    )
  }
  const meter = new Meter()
  meter.result(attempt.endpoint.vendor.chat.decodeResult(body))
  return { attempt, body, meter }
}
