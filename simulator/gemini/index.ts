import { planResponse } from "../response.ts"
import type { Exchange } from "../exchange.ts"
import { faultOfModel, type Fault } from "../faults.ts"
import type { Handler, WireFormat } from "../format.ts"
import { isObject, objectOf, type JsonObject } from "../json.ts"
import { dueFault, wholeBody } from "../play.ts"
import { bodyOf, streamSteps, type StreamScript } from "../stream.ts"
import { playTransportFault } from "../transport-faults.ts"
import { countUsage } from "../usage.ts"
import { limitProblem } from "../vendor-limits/index.ts"
import { checkRequest } from "./checks.ts"
import { credentialError, faultError, invalid, modelNotFound, reject } from "./errors.ts"
import { asList, blockedScript, streamScript, withCrlf } from "./frames.ts"
import { vendorResponse } from "./headers.ts"
import { isOurs, readCall, type Call } from "./paths.ts"
import { isError, readRequestBody } from "./read-message.ts"
import { readPrompt, wantsThoughts } from "./request.ts"
import { blockedResponse, composeResponse, resultText, type GeminiResponse } from "./result.ts"

/** Simulates Google's generateContent and streamGenerateContent, for the Gemini API and for Vertex. */
export const geminiFormat: WireFormat = {
  name: "gemini",
  match(method, path): Handler | undefined {
    return method === "POST" && isOurs(path) ? answerCall : undefined
  },
}

async function answerCall(exchange: Exchange): Promise<Response> {
  const body = await exchange.readBody()
  const call = readCall(exchange.path)
  const rejected = credentialError(exchange.headers, call)
  if (rejected !== undefined) return reject(exchange, call, rejected)
  if (exchange.vendor === undefined && !isKnown(call.model))
    return reject(exchange, call, modelNotFound(call))
  if (!isObject(body)) {
    const message =
      "Invalid JSON payload received. Unexpected end of string. Expected a value.\n\n^"
    return reject(exchange, call, invalid(message))
  }
  // Requests do not name the caller's user, so a repeated request is recognized by its content.
  const fault = dueFault(exchange, call.model, Bun.hash(exchange.bodyText).toString())
  if (fault === "unknown") {
    const message = "The simulator knows no fault of the name in x-simulate-fault."
    return reject(exchange, call, invalid(message))
  }
  const played = fault === undefined ? undefined : await playFault(exchange, call, fault)
  if (played !== undefined) return played
  const read = readRequestBody(body)
  if (isError(read)) return reject(exchange, call, read)
  const wrong = checkRequest(read, call)
  if (wrong !== undefined) return reject(exchange, call, wrong)
  const problem = limitProblem(exchange, "gemini", call.model, read)
  if (problem !== undefined) return reject(exchange, call, invalid(problem.message))
  return answerWell(exchange, call, read, fault)
}

/** Reports whether a model exists. The simulator's own models exist, and so do models with names like Google's. */
function isKnown(model: string): boolean {
  return model === "echo" || /^gem(ini|ma)-\d/.test(model) || faultOfModel(model) !== undefined
}

/** Injects the faults that replace the model's response. */
async function playFault(
  exchange: Exchange,
  call: Call,
  fault: Fault,
): Promise<Response | undefined> {
  const transported = await playTransportFault(exchange, fault)
  if (transported !== undefined) return transported
  const error = faultError(fault.name, call)
  return error === undefined ? undefined : reject(exchange, call, error)
}

function answerWell(
  exchange: Exchange,
  call: Call,
  body: JsonObject,
  fault: Fault | undefined,
): Response {
  const read = readPrompt(body)
  const isMirror = fault?.name === "echo-headers"
  const prompt = isMirror ? { ...read, echo: JSON.stringify(exchange.record.headers) } : read
  const choices = planResponse(prompt)
  const counted = countUsage(prompt, choices, exchange.state.promptCache, fault)
  const { responseLogprobs, logprobs: alternatives } = objectOf(body.generationConfig)
  const logprobs = { wanted: responseLogprobs === true, alternatives: Number(alternatives ?? 0) }
  const options = { counted, wantsThoughts: wantsThoughts(body), logprobs }
  const response = composeResponse(call, prompt, choices, options)
  return call.isStream
    ? answerStream(exchange, call, scriptOf(response, fault), fault)
    : vendorResponse(wholeBody(exchange, textOf(response, fault), fault), "json")
}

/** Whether the prompt is blocked. The response then has status 200 and no candidates. */
function isBlocked(fault: Fault | undefined): boolean {
  return fault?.name === "400-policy"
}

function scriptOf(response: GeminiResponse, fault: Fault | undefined): StreamScript {
  return isBlocked(fault) ? blockedScript(blockedResponse(response)) : streamScript(response)
}

function textOf(response: GeminiResponse, fault: Fault | undefined): string {
  return isBlocked(fault)
    ? JSON.stringify(blockedResponse(response), null, 2)
    : resultText(response)
}

function answerStream(
  exchange: Exchange,
  call: Call,
  script: StreamScript,
  fault: Fault | undefined,
): Response {
  const steps = streamSteps(script, exchange.cadence, fault)
  return call.isSse
    ? vendorResponse(bodyOf(exchange, withCrlf(steps)), "stream")
    : vendorResponse(bodyOf(exchange, asList(steps)), "json")
}
