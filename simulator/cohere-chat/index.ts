import { planResponse } from "../response.ts"
import type { Exchange } from "../exchange.ts"
import { faultOfModel, type Fault } from "../faults.ts"
import type { Handler, WireFormat } from "../format.ts"
import { isObject, stringOf, type JsonObject } from "../json.ts"
import { dueFault, wholeBody } from "../play.ts"
import { bodyOf, streamSteps } from "../stream.ts"
import { playTransportFault } from "../transport-faults.ts"
import { countUsage } from "../usage.ts"
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
import { readPrompt, readToolOutputs } from "./request.ts"
import { composeResponse, resultText } from "./result.ts"

const PATH = "/v2/chat"

/** Simulates version 2 of Cohere's chat API. */
export const cohereChat: WireFormat = {
  name: "cohere-chat",
  match(method, path): Handler | undefined {
    if (path !== PATH) return undefined
    return method === "POST" ? answerChat : answerWrongMethod
  },
}

async function answerChat(exchange: Exchange): Promise<Response> {
  const body = await exchange.readBody()
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (!isObject(body)) {
    return reject(exchange, invalid("invalid json syntax: unexpected end of JSON input"))
  }
  const model = stringOf(body.model)
  if (model === "") {
    return reject(exchange, invalid("a model parameter is required for this endpoint."))
  }
  if (exchange.vendor === undefined && !isKnown(model)) {
    return reject(exchange, modelNotFound(model))
  }
  // Requests do not name the caller's user, so a repeated request is recognized by its content.
  const fault = dueFault(exchange, model, Bun.hash(exchange.bodyText).toString())
  if (fault === "unknown") {
    return reject(
      exchange,
      invalid("The simulator knows no fault of the name in x-simulate-fault."),
    )
  }
  const played = fault === undefined ? undefined : await playFault(exchange, fault, model)
  if (played !== undefined) return played
  const wrong = checkRequest(body)
  return wrong === undefined ? answerWell(exchange, body, fault) : reject(exchange, wrong)
}

/** Reports whether a model exists. Models of the simulator exist, and models with names like Cohere's. */
function isKnown(model: string): boolean {
  return model === "echo" || /^(command|c4ai)-/.test(model) || faultOfModel(model) !== undefined
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

function answerWell(exchange: Exchange, body: JsonObject, fault: Fault | undefined): Response {
  const read = readPrompt(body)
  const isMirror = fault?.name === "echo-headers"
  const prompt = isMirror ? { ...read, echo: JSON.stringify(exchange.record.headers) } : read
  const choices = planResponse(prompt)
  const [choice] = choices
  if (choice === undefined) throw new Error("an answer has one choice")
  const counted = countUsage(prompt, choices, exchange.state.promptCache, fault)
  const hasLogprobs = body.logprobs === true
  const response = composeResponse(prompt, choice, readToolOutputs(body), { counted, hasLogprobs })
  if (body.stream !== true) {
    return vendorResponse(wholeBody(exchange, resultText(response), fault), "json")
  }
  const steps = streamSteps(streamScript(response), exchange.cadence, fault)
  return vendorResponse(bodyOf(exchange, steps), "stream")
}
