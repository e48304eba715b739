import { asGatewayError, type GatewayError } from "../../canon/errors.ts"
import type { DeadlineSettings } from "../../config/settings.ts"
import type { Bill } from "../billing/bill.ts"
import type { HttpAnswer } from "../../wire/http/answer.ts"
import type { HttpRequest } from "../../wire/http/request.ts"
import type { Sending } from "../../wire/http/sending.ts"
import {
  CALLER_LEFT,
  type Leash,
  NOT_NEEDED,
  type RelayServices,
  SHUTTING_DOWN,
} from "../pipeline/exchange.ts"
import { type RefusalReader, refusalOf } from "./refusal.ts"
import { Attempt, type Target } from "./attempt.ts"

/** One upstream call, chat or not. */
export interface UpstreamCall<T extends Target, Result> {
  readonly services: RelayServices
  readonly bill: Bill
  readonly leash: Leash
  readonly deadlines: DeadlineSettings
  /** The largest whole answer that is read. Bytes. */
  readonly answerBytes: number
  readonly plan: T
  /** Asked for once the call is on its way, because signing may fail as well. */
  readonly request: () => HttpRequest | Promise<HttpRequest>
  /** Present where it is on its way already. */
  readonly sending?: Sending | undefined
  /** Whose refusals it would be. */
  readonly format: RefusalReader
  /** Makes of a good answer what is needed of it; what it throws is a failure of the call. */
  readonly use: (attempt: Attempt<T>, response: HttpAnswer) => Promise<Result>
}

/**
 * Makes it: sent, judged by its status, used; on the receipt and on the caller's leash from the beginning.
 * The attempt of what is returned is the taker's to dispose of.
 * @throws GatewayError of whatever failed; then it is ended, and those have heard of it who are to.
 */
export async function makeCall<T extends Target, Result>(
  call: UpstreamCall<T, Result>,
): Promise<Result> {
  const { services, bill, leash, deadlines, answerBytes, plan, format } = call
  if (leash.hasLeft) {
    call.sending?.abort()
    throw CALLER_LEFT
  }
  const { memory } = bill.call
  const { watch } = services
  const { work } = leash
  const attempt = new Attempt({ plan, deadlines, answerBytes, memory, watch, work })
  leash.attempts.push(attempt)
  bill.attempts.push(attempt.record)
  try {
    let answer: Promise<HttpAnswer>
    if (call.sending) answer = attempt.adopt(call.sending)
    else {
      const signed = call.request()
      const request = signed instanceof Promise ? await signed : signed
      answer = attempt.adopt(services.client.send(request))
    }
    let response: HttpAnswer
    try {
      response = await answer
    } catch (error) {
      throw attempt.explain(error)
    }
    attempt.answered(response.status)
    if (!response.ok) throw await refusalOf(attempt, response, format)
    const used = await call.use(attempt, response)
    attempt.conclude("ok")
    return used
  } catch (thrown) {
    const failure = attempt.cleaned(asGatewayError(thrown))
    attempt.end(failure)
    attempt[Symbol.dispose]()
    const isRefusal = failure.kind === "refused_by_upstream"
    if (isRefusal) attempt.conclude(outcomeOf(failure))
    else brokeOff(services, bill.call.id, attempt, failure)
    throw failure
  }
}

/**
 * A call did not come to its end, or an answer that had begun did not: the receipt, the operator and
 * the deployment's health hear of it. What we ended ourselves is nobody's failure.
 */
export function brokeOff(
  services: RelayServices,
  request: string,
  attempt: Attempt<Target>,
  failure: GatewayError,
): void {
  attempt.conclude(outcomeOf(failure))
  if (failure === CALLER_LEFT || failure === NOT_NEEDED || failure === SHUTTING_DOWN) return
  const { deployment } = attempt.plan
  services.health.failed(deployment.id, failure, attempt.record.status)
  services.alarms.attemptFailed(request, deployment.id, failure.kind)
}

function outcomeOf(failure: GatewayError): string {
  if (failure === CALLER_LEFT) return "caller_left"
  if (failure === SHUTTING_DOWN) return "shutting_down"
  return failure === NOT_NEEDED ? "not_needed" : failure.kind
}
