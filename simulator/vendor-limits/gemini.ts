import { arrayOf, objectOf, stringOf, type JsonObject } from "../json.ts"
import { type Limit, type Problem, rejects } from "./limit.ts"

const VENDORS = ["google", "vertex"]
const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/

/** Thinking budgets by model: the lowest, the highest, and whether 0 switches thinking off. */
const BUDGETS: readonly (readonly [models: RegExp, range: [number, number], off: boolean])[] = [
  [/^gemini-2\.5-pro/, [128, 32_768], false],
  [/^gemini-2\.5-flash-lite/, [512, 24_576], true],
  [/^gemini-2\.5-flash(?!-lite|.*(?:image|tts))/, [0, 24_576], true],
]

function configOf(body: JsonObject): JsonObject {
  return objectOf(body.generationConfig)
}

function thinkingOf(body: JsonObject): JsonObject {
  return objectOf(configOf(body).thinkingConfig)
}

function declaredOf(body: JsonObject): JsonObject[] {
  return arrayOf(body.tools).flatMap((tool) =>
    arrayOf(objectOf(tool).functionDeclarations).map((each) => objectOf(each)),
  )
}

function budgetProblem(body: JsonObject, model: string): Problem | undefined {
  const budget = thinkingOf(body).thinkingBudget
  const [, [lowest, highest] = [0, 0], isOff] = BUDGETS.find(([each]) => each.test(model)) ?? []
  if (typeof budget !== "number" || budget === -1 || isOff === undefined) return undefined
  if (budget === 0 && !isOff) {
    return { message: "Budget 0 is invalid. This model only works in thinking mode." }
  }
  if (budget === 0 || (budget >= lowest && budget <= highest)) return undefined
  return {
    message: `The thinking budget ${budget} is invalid. Please choose a value between ${lowest} and ${highest}.`,
  }
}

/** The limits of Gemini. */
export const GEMINI_LIMITS: readonly Limit[] = (
  [
    {
      source: "ai.google.dev/api/caching#FunctionDeclaration; its generateContent",
      checks: [
        (body) => {
          const at = declaredOf(body).findIndex(({ name }) => !NAME.test(stringOf(name)))
          return at === -1
            ? undefined
            : {
                message: `* GenerateContentRequest.tools[0].function_declarations[${at}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:) or dashes (-), with a maximum length of 64.\n`,
              }
        },
      ],
    },
    {
      models: /^gemini-2\.5/,
      source: "ai.google.dev/gemini-api/docs/thinking#set-budget",
      checks: [budgetProblem],
    },
    {
      models: /^gemini-[12]\./,
      source: "ai.google.dev/gemini-api/docs/thinking: thinking_level since Gemini 3",
      checks: [
        rejects((body) => thinkingOf(body).thinkingLevel !== undefined, {
          message: "Thinking level is not supported for this model.",
        }),
      ],
    },
    {
      models: /^gemini-(?:1\.5|2\.0)/,
      source: "ai.google.dev/gemini-api/docs/thinking: supported models",
      checks: [
        rejects((body) => configOf(body).thinkingConfig !== undefined, {
          message: "Unable to submit request because thinking is not supported by this model.",
        }),
      ],
    },
    {
      models: /^gemini-2\.5/,
      source: "its generateContent: Penalty is not enabled",
      checks: [
        rejects(
          (body) =>
            configOf(body).presencePenalty !== undefined ||
            configOf(body).frequencyPenalty !== undefined,
          (model) => ({ message: `Penalty is not enabled for models/${model}` }),
        ),
      ],
    },
    {
      vendors: ["google"],
      models: /^gemini-(?!2\.0)/,
      source: "its generateContent: Logprobs is not enabled",
      checks: [
        rejects(
          (body) => configOf(body).responseLogprobs === true,
          (model) => ({ message: `Logprobs is not enabled for models/${model}` }),
        ),
      ],
    },
    {
      vendors: ["vertex"],
      models: /^gemini-[3-9]/,
      source: "its generateContent: Logprobs is not supported",
      checks: [
        rejects((body) => configOf(body).responseLogprobs === true, {
          message: "Unable to submit request because Logprobs is not supported for this model.",
        }),
      ],
    },
    {
      models: /^gemini-[12]\./,
      source: "its generateContent: function calling and JSON, together since Gemini 3",
      checks: [
        rejects(
          (body) =>
            declaredOf(body).length > 0 && configOf(body).responseMimeType === "application/json",
          {
            message:
              "Function calling with a response mime type: 'application/json' is unsupported",
          },
        ),
      ],
    },
    {
      models: /^gemini-.*tts/,
      source: "ai.google.dev/gemini-api/docs/speech-generation",
      checks: [
        rejects((body) => arrayOf(configOf(body).responseModalities)[0] !== "AUDIO", {
          message:
            "The requested combination of response modalities (TEXT) is not supported by the model.",
        }),
      ],
    },
  ] satisfies (Omit<Limit, "vendors" | "api"> & Partial<Limit>)[]
).map((limit) => ({ vendors: VENDORS, ...limit, api: "gemini" }))
