import { planResponse } from "../response.ts"
import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import type { Handler, WireFormat } from "../format.ts"
import { isObject, type JsonObject } from "../json.ts"
import { dueFault, wholeBody } from "../play.ts"
import { bodyOf, streamSteps } from "../stream.ts"
import { playTransportFault } from "../transport-faults.ts"
import { countUsage } from "../usage.ts"
import { limitProblem } from "../vendor-limits/index.ts"
import { checkRequest } from "./checks.ts"
import { credentialError } from "./credentials.ts"
import { answerUnknownOperation, faultError, invalid, MODEL_NOT_FOUND, reject } from "./errors.ts"
import { streamScript } from "./frames.ts"
import { vendorResponse } from "./headers.ts"
import { readRequest } from "./request.ts"
import {
  answerBlocks,
  resultText,
  stopReason,
  usageObject,
  type ConverseResponse,
} from "./result.ts"

const PATH = /^\/model\/([^/]+)\/(converse|converse-stream)$/

/** Simulates Amazon Bedrock's Converse API, streamed and not streamed. */
export const bedrockConverse: WireFormat = {
  name: "bedrock-converse",
  match(method, path): Handler | undefined {
    if (!path.startsWith("/model/")) return undefined
    const [, model, operation] = PATH.exec(path) ?? []
    if (method !== "POST" || model === undefined) return answerUnknownOperation
    const call = { model: decodeURIComponent(model), isStreamed: operation === "converse-stream" }
    return (exchange) => answerConverse(exchange, call)
  },
}

/** The parameters in the path of a request. */
interface Call {
  readonly model: string
  readonly isStreamed: boolean
}

async function answerConverse(exchange: Exchange, call: Call): Promise<Response> {
  const body = await exchange.readBody()
  const rejected = credentialError(exchange)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (!isObject(body)) {
    const message = "Malformed input request, please reformat your input and try again."
    return reject(exchange, invalid(message))
  }
  if (call.model === "unknown") return reject(exchange, MODEL_NOT_FOUND)
  // Requests do not name the caller's user, so a repeated request is recognized by its content.
  const fault = dueFault(exchange, call.model, Bun.hash(exchange.bodyText).toString())
  if (fault === "unknown") {
    const message = "The simulator knows no fault of the name in x-simulate-fault."
    return reject(exchange, invalid(message))
  }
  const played = fault === undefined ? undefined : await playFault(exchange, fault)
  if (played !== undefined) return played
  const wrong = checkRequest(body, call.model)
  if (wrong !== undefined) return reject(exchange, wrong)
  const problem = limitProblem(exchange, "converse", call.model, body)
  if (problem !== undefined) return reject(exchange, invalid(problem.message))
  const response = responseOf(exchange, body, fault)
  if (!call.isStreamed) {
    return vendorResponse(wholeBody(exchange, resultText(response), fault), "application/json")
  }
  const steps = streamSteps(streamScript(response), exchange.cadence, fault)
  return vendorResponse(bodyOf(exchange, steps), "application/vnd.amazon.eventstream")
}

/** Injects the faults that replace the model's response. */
async function playFault(exchange: Exchange, fault: Fault): Promise<Response | undefined> {
  const transported = await playTransportFault(exchange, fault)
  if (transported !== undefined) return transported
  const error = faultError(fault.name)
  return error === undefined ? undefined : reject(exchange, error)
}

function responseOf(
  exchange: Exchange,
  body: JsonObject,
  fault: Fault | undefined,
): ConverseResponse {
  const { prompt: read, blocks } = readRequest(body)
  const isMirror = fault?.name === "echo-headers"
  const prompt = isMirror ? { ...read, echo: JSON.stringify(exchange.record.headers) } : read
  const [choice] = planResponse(prompt)
  if (choice === undefined) throw new Error("an answer has one choice")
  const counted = countUsage(prompt, [choice], undefined, fault)
  const isWrong = fault?.name === "wrong-usage"
  const cache = exchange.state.markedCache.look(isWrong ? [] : blocks)
  return {
    blocks: answerBlocks(choice, prompt.echo),
    stopReason: stopReason(choice),
    usage: counted === undefined ? undefined : usageObject(counted, cache),
  }
}
