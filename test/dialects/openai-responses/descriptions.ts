import Ajv, { type ValidateFunction } from "ajv"
import addFormats from "ajv-formats"
import { parse } from "yaml"
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import { HAS_FIXTURES, readFixture } from "../../support/recordings.ts"

/** A vendor's own description of the dialect, with a validator for each schema by name. */
export interface Description {
  problems(schema: string, value: unknown): string[]
}

const NOTHING: Description = { problems: () => [] }

/** Returns OpenAI's own description. */
export function openAiDescription(): Description {
  return HAS_FIXTURES ? describe(parse(readFixture("specs/openai-openapi.yaml"))) : NOTHING
}

/** Returns the description of Open Responses, which requires more members. */
export function openResponsesDescription(): Description {
  if (!HAS_FIXTURES) return NOTHING
  return describe(JSON.parse(readFixture("specs/openresponses-2026-04-24.openapi.json")))
}

function describe(document: JsonObject): Description {
  const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true })
  addFormats(ajv)
  ajv.addFormat("unixtime", { type: "number", validate: Number.isFinite })
  ajv.addSchema({ $id: "description", ...(readable(document) as JsonObject) })
  const validators = new Map<string, ValidateFunction>()
  return {
    problems(schema, value) {
      const validate =
        validators.get(schema) ?? ajv.compile({ $ref: `description#/components/schemas/${schema}` })
      validators.set(schema, validate)
      if (validate(value)) return []
      return (validate.errors ?? []).map(
        ({ instancePath, message }) => `${instancePath} ${message}`,
      )
    },
  }
}

/**
 * Adapts schemas to a simple validator. Without a discriminator, which it does not support, several schemas would
 * match.
 */
function readable(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((member) => readable(member) ?? null)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, member]) => [
    key === "oneOf" ? "anyOf" : key,
    readable(member),
  ])
  const { discriminator: _, ...schema } = Object.fromEntries(entries)
  return schema
}
