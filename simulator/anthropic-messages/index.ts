import { planResponse } from "../response.ts"
import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import type { Handler, WireFormat } from "../format.ts"
import { isObject, objectOf, stringOf, type JsonObject } from "../json.ts"
import { dueFault, wholeBody } from "../play.ts"
import { searchesOf } from "../searches.ts"
import { bodyOf, streamSteps } from "../stream.ts"
import { playTransportFault } from "../transport-faults.ts"
import { type CountedUsage, countUsage } from "../usage.ts"
import { limitProblem } from "../vendor-limits/index.ts"
import { checkCount, checkRequest } from "./checks.ts"
import {
  answerUnknownPath,
  answerWrongMethod,
  faultError,
  headersError,
  invalid,
  modelNotFound,
  reject,
} from "./errors.ts"
import { streamScript } from "./frames.ts"
import { vendorResponse } from "./headers.ts"
import { readRequest, type MessagesRequest } from "./request.ts"
import {
  answerBlocks,
  contentOf,
  messageId,
  resultText,
  sortUsage,
  stopReason,
  type MessageResponse,
  type MessageUsage,
} from "./result.ts"

const MESSAGES_PATH = "/v1/messages"
const COUNT_PATH = "/v1/messages/count_tokens"

/** Simulates Anthropic's messages and token counting. */
export const anthropicMessages: WireFormat = {
  name: "anthropic-messages",
  match(method, path): Handler | undefined {
    if (path === MESSAGES_PATH) return method === "POST" ? answerMessages : answerWrongMethod
    if (path === COUNT_PATH) return method === "POST" ? answerCount : answerWrongMethod
    return path.startsWith(`${MESSAGES_PATH}/`) ? answerUnknownPath : undefined
  },
}

async function answerMessages(exchange: Exchange): Promise<Response> {
  const accepted = await accept(exchange, checkRequest)
  if (accepted instanceof Response) return accepted
  const { body, model, fault } = accepted
  const response = responseOf(exchange, body, model, fault)
  exchange.state.keptMessages.keep(body, response.id, contentOf(response))
  if (body.stream !== true) {
    return vendorResponse(wholeBody(exchange, resultText(response), fault), "json")
  }
  const steps = streamSteps(streamScript(response), exchange.cadence, fault)
  return vendorResponse(bodyOf(exchange, steps), "stream")
}

async function answerCount(exchange: Exchange): Promise<Response> {
  const accepted = await accept(exchange, checkCount)
  if (accepted instanceof Response) return accepted
  const { prompt } = readRequest(accepted.body)
  const tokens = countUsage(prompt, [], undefined, undefined)?.prompt
  const text = JSON.stringify({ input_tokens: tokens })
  return vendorResponse(wholeBody(exchange, text, accepted.fault), "json")
}

interface Accepted {
  readonly body: JsonObject
  readonly model: string
  readonly fault: Fault | undefined
}

/**
 * Returns the request's body, including the messages of the thread that it continues. Returns the error response if the
 * request is invalid.
 */
async function accept(
  exchange: Exchange,
  check: (body: JsonObject, version: string) => string | undefined,
): Promise<Accepted | Response> {
  const body = await exchange.readBody()
  const rejected = headersError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (!isObject(body)) return reject(exchange, invalid("The request body is not valid JSON"))
  const model = stringOf(body.model)
  if (model === "unknown") return reject(exchange, modelNotFound(model))
  const fault = dueFault(exchange, model, stringOf(objectOf(body.metadata).user_id))
  if (fault === "unknown") {
    const message = "The simulator knows no fault of the name in x-simulate-fault."
    return reject(exchange, invalid(message))
  }
  const played = fault === undefined ? undefined : await playFault(exchange, fault, model)
  if (played !== undefined) return played
  const gathered = exchange.state.keptMessages.gather(body)
  if (!("body" in gathered)) return reject(exchange, gathered)
  const wrong =
    check(gathered.body, exchange.headers.get("anthropic-version") ?? "") ??
    limitProblem(exchange, "messages", model, gathered.body)?.message
  return wrong === undefined ? { ...gathered, model, fault } : reject(exchange, invalid(wrong))
}

/** Injects the faults that replace the model's response. */
async function playFault(
  exchange: Exchange,
  fault: Fault,
  model: string,
): Promise<Response | undefined> {
  const transported = await playTransportFault(exchange, fault)
  if (transported !== undefined) return transported
  const error = faultError(fault.name, model)
  return error === undefined ? undefined : reject(exchange, error)
}

function responseOf(
  exchange: Exchange,
  body: JsonObject,
  model: string,
  fault: Fault | undefined,
): MessageResponse {
  const read = readRequest(body)
  const isMirror = fault?.name === "echo-headers"
  const echo = isMirror ? JSON.stringify(exchange.record.headers) : read.prompt.echo
  const request = { ...read, prompt: { ...read.prompt, echo } }
  const [choice] = planResponse(request.prompt)
  if (choice === undefined) throw new Error("an answer has one choice")
  const searches = searchesOf(body.tools, echo)
  const counted = countUsage(request.prompt, [choice], undefined, fault)
  return {
    id: messageId(),
    container: exchange.state.keptMessages.container(body),
    model: datedName(model),
    blocks: answerBlocks(choice, echo, request.thinking, searches),
    stopReason: stopReason(choice),
    stopSequence: choice.stoppedBy,
    usage: counted && usageOf(exchange, request, { counted, fault, searches: searches.length }),
  }
}

/** Returns the dated name that an alias stands for. */
function datedName(model: string): string {
  return /-\d{8}$/.test(model) ? model : `${model}-20261101`
}

/** The usage of a response before its tokens are divided into classes. */
interface Used {
  readonly counted: CountedUsage
  readonly fault: Fault | undefined
  readonly searches: number
}

function usageOf(
  exchange: Exchange,
  { blocks }: MessagesRequest,
  { counted, fault, searches }: Used,
): MessageUsage {
  const isWrong = fault?.name === "wrong-usage"
  return sortUsage(counted, exchange.state.markedCache.look(isWrong ? [] : blocks), searches)
}
