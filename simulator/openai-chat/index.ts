import { planResponse } from "../response.ts"
import type { Exchange } from "../exchange.ts"
import type { Fault } from "../faults.ts"
import type { Handler, WireFormat } from "../format.ts"
import { isObject, objectOf, stringOf, type JsonObject } from "../json.ts"
import { dueFault, wholeBody } from "../play.ts"
import { servedTier } from "../searches.ts"
import { bodyOf, streamSteps } from "../stream.ts"
import { playTransportFault } from "../transport-faults.ts"
import { countUsage } from "../usage.ts"
import { rejectLimit } from "../vendor-limits/envelopes.ts"
import { limitProblem } from "../vendor-limits/index.ts"
import { checkRequest } from "./checks.ts"
import {
  answerWrongMethod,
  credentialError,
  faultError,
  invalid,
  modelNotFound,
  reject,
} from "./errors.ts"
import { streamScript } from "./frames.ts"
import { vendorResponse } from "./headers.ts"
import { answerModel, answerModelList, datedName } from "./models.ts"
import { readPrompt } from "./request.ts"
import { resultText, type ChatResponse } from "./result.ts"

const CHAT_PATH = "/v1/chat/completions"
const MODELS_PATH = "/v1/models"

/** Simulates OpenAI's chat completions and model list. */
export const openaiChat: WireFormat = {
  name: "openai-chat",
  match(method, path): Handler | undefined {
    if (path === CHAT_PATH) return method === "POST" ? answerChat : answerWrongMethod
    if (path === MODELS_PATH) return method === "GET" ? answerModelList : answerWrongMethod
    if (method !== "GET" || !path.startsWith(`${MODELS_PATH}/`)) return undefined
    const id = decodeURIComponent(path.slice(MODELS_PATH.length + 1))
    return (exchange) => answerModel(exchange, id)
  },
}

async function answerChat(exchange: Exchange): Promise<Response> {
  const body = await exchange.readBody()
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (!isObject(body)) {
    const message = "We could not parse the JSON body of your request."
    return reject(exchange, invalid(message, null, null))
  }
  const name = stringOf(body.model)
  if (name === "") {
    return reject(exchange, invalid("you must provide a model parameter", null, null))
  }
  const model = exchange.vendor === undefined ? datedName(name) : name
  if (model === undefined) return reject(exchange, modelNotFound(name))
  const fault = dueFault(exchange, name, stringOf(body.user))
  if (fault === "unknown") {
    const message = "The simulator knows no fault of the name in x-simulate-fault."
    return reject(exchange, invalid(message, null, "unknown_fault"))
  }
  const played = fault === undefined ? undefined : await playFault(exchange, fault, name)
  if (played !== undefined) return played
  const wrong = checkRequest(body, exchange.vendor)
  if (wrong !== undefined) return reject(exchange, wrong)
  const problem = limitProblem(exchange, "chat", name, body)
  if (problem !== undefined) return rejectLimit(exchange, problem)
  return answerWell(exchange, body, model, fault)
}

/** Injects the faults that replace the model's response. */
async function playFault(
  exchange: Exchange,
  fault: Fault,
  name: string,
): Promise<Response | undefined> {
  const transported = await playTransportFault(exchange, fault)
  if (transported !== undefined) return transported
  // This fault occurs only after the stream has begun.
  const error = fault.name === "stream-error" ? undefined : faultError(fault.name, name)
  return error === undefined ? undefined : reject(exchange, error)
}

function answerWell(
  exchange: Exchange,
  body: JsonObject,
  model: string,
  fault: Fault | undefined,
): Response {
  const read = readPrompt(body)
  const isMirror = fault?.name === "echo-headers"
  const prompt = isMirror ? { ...read, echo: JSON.stringify(exchange.record.headers) } : read
  const choices = planResponse(prompt)
  const response: ChatResponse = {
    model,
    choices,
    usage: countUsage(prompt, choices, exchange.state.promptCache, fault),
    logprobs: {
      wanted: body.logprobs === true,
      alternatives: typeof body.top_logprobs === "number" ? body.top_logprobs : 0,
    },
    tier: servedTier(body.service_tier),
  }
  exchange.record.usage = response.usage
  return body.stream === true
    ? answerStream(exchange, objectOf(body.stream_options), response, fault)
    : answerWhole(exchange, response, fault)
}

function answerStream(
  exchange: Exchange,
  options: JsonObject,
  response: ChatResponse,
  fault: Fault | undefined,
): Response {
  const script = streamScript(response, {
    usage: options.include_usage === true,
    obfuscation: options.include_obfuscation !== false,
  })
  const steps = streamSteps(script, exchange.cadence, fault)
  return vendorResponse(bodyOf(exchange, steps), "stream")
}

function answerWhole(
  exchange: Exchange,
  response: ChatResponse,
  fault: Fault | undefined,
): Response {
  return vendorResponse(wholeBody(exchange, resultText(response), fault), "json")
}
