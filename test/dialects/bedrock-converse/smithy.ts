import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/canon/json.ts"
import { readFixture } from "../../support/recordings.ts"

interface Shape {
  readonly type: string
  readonly members?: Readonly<Record<string, Member>>
  readonly member?: Member
  readonly key?: Member
  readonly value?: Member
  readonly traits?: Traits
}

interface Member {
  readonly target: string
  readonly traits?: Traits
}

type Traits = Readonly<Record<string, unknown>>

/** Members that are newer than the description. The types of @aws-sdk/client-bedrock-runtime contain them. */
const NEWER: ReadonlySet<string> = new Set([
  "ContentBlock.audio",
  "ContentBlock.cachePoint",
  "ConverseRequest.outputConfig",
  "ConverseRequest.serviceTier",
  "DocumentSource.s3Location",
  "ImageSource.s3Location",
  "SystemContentBlock.cachePoint",
  "Tool.cachePoint",
  "ToolSpecification.strict",
])

const NAMESPACE = "com.amazonaws.bedrockruntime#"

/** Amazon's own description of the Bedrock runtime, which is used to find faults in a body. */
export class Smithy {
  readonly #shapes: Readonly<Record<string, Shape>>
  #faults: string[] = []

  constructor() {
    const path = "specs/aws-bedrock-runtime-2023-09-30.smithy.json"
    this.#shapes = JSON.parse(readFixture(path)).shapes
  }

  /** Returns the faults of a body by path. The parameter of the address is not checked. */
  faultsOf(body: JsonObject, name = "ConverseRequest"): string[] {
    this.#faults = []
    const shape = this.#shapes[NAMESPACE + name]!
    this.#structure({ ...body, modelId: "in-the-address" }, name, shape, name)
    return this.#faults
  }

  #value(value: JsonValue, { target, traits }: Member, path: string): void {
    const name = target.split("#").at(-1)!
    const shape = this.#shapes[target] ?? { type: name.toLowerCase() }
    const all = { ...shape.traits, ...traits }
    switch (shape.type) {
      case "document":
        return
      case "structure":
        if (!isJsonObject(value)) this.#faults.push(`${path}: no structure`)
        else this.#structure(value, path, shape, name)
        return
      case "union":
        if (!isJsonObject(value)) this.#faults.push(`${path}: no union`)
        else {
          if (Object.keys(value).length !== 1) this.#faults.push(`${path}: not one member`)
          this.#structure(value, path, shape, name)
        }
        return
      case "list":
        if (!Array.isArray(value)) this.#faults.push(`${path}: no list`)
        else {
          this.#length(value.length, all, path)
          value.forEach((entry, index) => this.#value(entry, shape.member!, `${path}[${index}]`))
        }
        return
      case "map":
        if (!isJsonObject(value)) this.#faults.push(`${path}: no map`)
        else {
          this.#length(Object.keys(value).length, all, path)
          for (const [key, entry] of Object.entries(value)) {
            this.#value(key, shape.key!, `${path}.${key}?`)
            this.#value(entry!, shape.value!, `${path}.${key}`)
          }
        }
        return
      case "enum": {
        const words = Object.values(shape.members!).map(
          (member) => member.traits?.["smithy.api#enumValue"],
        )
        if (!words.includes(value)) this.#faults.push(`${path}: ${String(value)} is no word`)
        return
      }
      case "string":
        if (typeof value !== "string") this.#faults.push(`${path}: no text`)
        else {
          this.#length(value.length, all, path)
          const pattern = all["smithy.api#pattern"]
          if (typeof pattern === "string" && !new RegExp(pattern).test(value)) {
            this.#faults.push(`${path}: '${value}' does not fit ${pattern}`)
          }
        }
        return
      case "blob":
        if (typeof value !== "string" || value === "") this.#faults.push(`${path}: no bytes`)
        return
      case "integer":
      case "float":
        if (typeof value !== "number") this.#faults.push(`${path}: no number`)
        else this.#range(value, all, path)
        return
      case "boolean":
        if (typeof value !== "boolean") this.#faults.push(`${path}: no boolean`)
        return
      default:
        this.#faults.push(`${path}: the check does not know ${shape.type}`)
    }
  }

  #structure(value: JsonObject, path: string, shape: Shape, name: string): void {
    for (const [key, member] of Object.entries(shape.members ?? {})) {
      const given = value[key]
      if (given !== undefined) this.#value(given as JsonValue, member, `${path}.${key}`)
      else if (member.traits?.["smithy.api#required"]) this.#faults.push(`${path}.${key}: missing`)
    }
    for (const key of Object.keys(value)) {
      const isKnown = shape.members?.[key] !== undefined || NEWER.has(`${name}.${key}`)
      if (!isKnown) this.#faults.push(`${path}.${key}: unknown`)
    }
  }

  #length(length: number, traits: Traits, path: string): void {
    const { min = 0, max = Infinity } = (traits["smithy.api#length"] ?? {}) as Limits
    if (length < min || length > max) this.#faults.push(`${path}: ${length} long`)
  }

  #range(value: number, traits: Traits, path: string): void {
    const { min = -Infinity, max = Infinity } = (traits["smithy.api#range"] ?? {}) as Limits
    if (value < min || value > max) this.#faults.push(`${path}: ${value} out of range`)
  }
}

interface Limits {
  readonly min?: number
  readonly max?: number
}
